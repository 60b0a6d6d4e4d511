import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import type { TestProject } from "vitest/node"
import * as Database from "../../src/platform/postgres/Database.ts"
import * as EmbeddedPostgres from "../../src/platform/postgres/EmbeddedPostgres.ts"
import * as PostgresInstallation from "../../src/platform/postgres/PostgresInstallation.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The server of this run. Its database `template` has the current schema; otherwise `fault` gives the reason. */
    postgres: EmbeddedPostgres.EmbeddedPostgres & { readonly fault: string | null }
    /** A new data directory for servers that tests start: making one takes as long as many tests. */
    pristine: string
  }
}

const prefix = "proxy-rental-test-"

const isRoomy = (directory: string) => {
  const found = fs.existsSync(directory) ? fs.statfsSync(directory) : undefined
  return found !== undefined && found.bavail * found.bsize > 2 ** 30
}

/** Removes directories that killed runs left behind; they may occupy memory. */
const sweep = (base: string) => {
  for (const name of fs.readdirSync(base).filter((name) => name.startsWith(prefix))) {
    const directory = path.join(base, name)
    const age = Date.now() - (fs.statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    const isRunning = fs.existsSync(path.join(directory, "data", "postmaster.pid"))
    if (age > 600_000 && !isRunning) fs.rmSync(directory, { recursive: true, force: true })
  }
}

/** No test data must survive a power cut. Tests read errors in the log. */
const settings = {
  log_min_messages: "error",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "300"
}

const server = (project: TestProject) =>
  Effect.gen(function* () {
    const base = isRoomy("/dev/shm") ? "/dev/shm" : tmpdir()
    sweep(base)
    const directory = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(base, prefix))),
      (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
    )
    fs.chmodSync(directory, 0o755)
    const { data } = yield* PostgresInstallation.prepare({ directory, from: import.meta.url, synced: false })
    const pristine = path.join(directory, "pristine")
    execFileSync("cp", ["-a", data, pristine])
    project.provide("pristine", pristine)
    const postgres = yield* EmbeddedPostgres.start({ directory, settings })

    const admin = PgClient.layer({ ...postgres, maxConnections: 1 })
    const run = (statement: string) =>
      Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)),
        admin
      )
    yield* run("CREATE DATABASE template")
    const fault = yield* Layer.build(Database.layerWith({ ...postgres, database: "template" })).pipe(
      Effect.scoped,
      Effect.match({ onFailure: (error) => error.message, onSuccess: () => null })
    )
    yield* run("ALTER DATABASE template IS_TEMPLATE true ALLOW_CONNECTIONS false")
    return { ...postgres, fault }
  })

/**
 * One PostgreSQL for the whole run, with a migrated database for the tests to copy. A broken migration fails only the
 * tests that need the database.
 */
export default async function (project: TestProject) {
  const scope = Scope.makeUnsafe()
  const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
  try {
    project.provide("postgres", await Effect.runPromise(Scope.provide(server(project), scope)))
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}
