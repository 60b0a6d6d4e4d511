import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { isRunning, pidOf, scratch } from "./PostgresTesting.ts"

const program = (directory: string) => `
  import { Effect } from "effect"
  import * as fs from "node:fs"
  import * as EmbeddedPostgres from ${JSON.stringify(new URL("../../../src/platform/postgres/EmbeddedPostgres.ts", import.meta.url).href)}
  process.stdin.resume()
  const held = []
  const holdAll = () => {
    try {
      for (;;) held.push(fs.openSync("/dev/null"))
    } catch {}
  }
  process.stdin.once("data", () => held.forEach((file) => fs.closeSync(file)))
  await Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        yield* EmbeddedPostgres.start({ directory: ${JSON.stringify(directory)} })
        holdAll()
        yield* Effect.never
      })
    )
  )
`

/** An instance of the program that uses up its file descriptors until it gets input. */
const exhausted = (directory: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const args = [
        "-c",
        'ulimit -n 200 && exec "$0" --input-type=module -e "$1"',
        process.execPath,
        program(directory)
      ]
      const child = spawn("/bin/sh", args, { stdio: ["pipe", "pipe", "inherit"] })
      let output = ""
      const told = new Promise<void>((resolve) =>
        child.stdout.on("data", (chunk) => {
          output += chunk
          if (/embedded PostgreSQL/.test(output)) resolve()
        })
      )
      return { child, told, output: () => output }
    }),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

it.live("A process without a free file descriptor keeps its server, and logs this once", () =>
  Effect.gen(function* () {
    const directory = yield* scratch
    const { child, output, told } = yield* exhausted(directory)
    yield* Effect.promise(() => told)
    const pid = pidOf(directory)
    assert.isTrue(isRunning(pid))
    assert.match(output(), /Cannot tell whether the embedded PostgreSQL runs \(reading the pid file: EMFILE/)
    child.stdin.write("go on\n")
    assert.strictEqual(pidOf(directory), pid)
    assert.notMatch(output(), /cannot be used|runs again/)
  }).pipe(Effect.scoped)
)
