import { existsSync } from "node:fs"
import { enableCompileCache, flushCompileCache } from "node:module"

// A gateway that the service started was given what it may know.
if (process.env["GATEWAY_SUPERVISED"] !== "1" && existsSync(".env")) process.loadEnvFile()
// Who reads what is printed may have read enough, as `head` does: the work goes on.
for (const output of [process.stdout, process.stderr]) output.on("error", () => {})
// Types are stripped and code is compiled once instead of at every start: half the time and 40 MB less.
enableCompileCache()
const { main } = await import("./cli/CommandLine.ts")
main()
// Node writes the cache when a process ends by itself; one that is killed leaves it to the next as well.
setTimeout(flushCompileCache, 1000).unref()
