import { spawnSync } from "node:child_process"

/** Ends the run with one line, before any test, if there is no Chromium. */
export default () => {
  if (spawnSync("which", ["chromium"]).status === 0) return
  process.stderr.write(
    "These tests need Chromium: install it so that `which chromium` finds it (Debian: apt-get install chromium)\n"
  )
  process.exit(1)
}
