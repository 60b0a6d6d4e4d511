// Runs all checks side by side: none needs another, and most keep one processor busy. The check of types would take
// every processor from the tests. A test uses the compiler too, so it is patched before.
import { spawn } from "node:child_process"

const checks = ["format:check", "lint", "knip", "types -- --singleThreaded", "vitest"]

/** Shows the tests as they run, and each other check in one piece when it ends. Answers what failed. */
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
