// Runs all checks in parallel: they are independent, and most use one processor. The type check gets one thread, so
// that it leaves processors to the tests. `npm test` patches the compiler first, because a test uses it too.
import { spawn } from "node:child_process"

const checks = ["format:check", "lint", "knip", "types -- --singleThreaded", "vitest"]

/**
 * Runs a check. Prints the tests while they run, and the output of any other check when it ends. Returns the failed
 * commands.
 */
const run = (check) =>
  new Promise((resolve) => {
    const command = `npm run --silent ${check}`
    const child = spawn(command, { shell: true, stdio: check === "vitest" ? "inherit" : "pipe" })
    let output = ""
    child.stdout?.on("data", (part) => (output += part))
    child.stderr?.on("data", (part) => (output += part))
    child.on("close", (code) => {
      const outcome = code === 0 ? "passed" : "FAILED"
      process.stdout.write(`${output}${command}: ${outcome}\n`)
      resolve(code === 0 ? [] : [command])
    })
  })

const failed = (await Promise.all(checks.map(run))).flat()
for (const command of failed) process.stderr.write(`Failed: ${command}\n`)
process.exitCode = failed.length === 0 ? 0 : 1
