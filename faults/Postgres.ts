import { PgClient } from "@effect/sql-pg"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as path from "node:path"
import * as EmbeddedPostgres from "../src/platform/postgres/EmbeddedPostgres.ts"

/** Data that must survive a power cut is on the disk when the answer comes. */
const settings = { fsync: "on", synchronous_commit: "on", full_page_writes: "on", max_connections: "200" }

const pidOf = (directory: string) =>
  Number(fs.readFileSync(path.join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0])

/** A PostgreSQL server for the run that loses nothing it has confirmed. */
export interface Postgres {
  readonly socketFile: string
  readonly username: string
  /** An address for a process beside the service, whose statements need no watching. */
  readonly urlOf: (database: string) => string
  readonly clientOf: (database: string) => ReturnType<typeof PgClient.layer>
  readonly create: (database: string) => Effect.Effect<void>
  /** Ends every process of the server at once; the next start recovers from the log. */
  readonly crash: Effect.Effect<void>
}

export const start = Effect.fnUntraced(function* (directory: string) {
  const server = yield* EmbeddedPostgres.start({ directory, settings })
  const clientOf = (database: string) => PgClient.layer({ ...server, database, maxConnections: 2 })

  const postgres: Postgres = {
    socketFile: path.join(server.host, `.s.PGSQL.${server.port}`),
    username: server.username,
    urlOf: (database) =>
      `postgres:///${database}?user=${server.username}&host=${encodeURIComponent(server.host)}&port=${server.port}`,
    clientOf,

    create: (database) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(`CREATE DATABASE ${database}`)).pipe(
        Effect.provide(clientOf("postgres")),
        Effect.orDie
      ),

    crash: Effect.gen(function* () {
      const pid = pidOf(directory)
      yield* Effect.sync(() => process.kill(pid, "SIGQUIT"))
      yield* Effect.try(() => {
        if (pidOf(directory) === pid) throw new Error("the server has not come back")
      }).pipe(Effect.retry({ schedule: Schedule.spaced("50 millis"), times: 400 }), Effect.orDie)
    })
  }
  return postgres
})
