import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { PgClient } from "@effect/sql-pg"
import { Config, Effect, Layer, Option, Schedule, Schema } from "effect"
import { Migrator, SqlClient, SqlError } from "effect/sql"
import { fromFileSystem } from "effect/sql/MigratorFileSystem"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { Atomically } from "./Atomically.ts"
import { DatabaseAbsent, DatabaseUnusable, isRefused, isUnavailable, reasonOf } from "./DatabaseFailure.ts"
import { patience, patiently } from "./DatabasePatience.ts"
import * as EmbeddedPostgres from "./EmbeddedPostgres.ts"
import { integer } from "../settings/IntegerSetting.ts"
import { located, StateDirectory } from "../settings/StateDirectory.ts"

/** No statement, lock or forgotten transaction of a request may hold others up for long. */
const limits = {
  statement_timeout: "30s",
  lock_timeout: "10s",
  idle_in_transaction_session_timeout: "30s"
}

/** A migration takes the time it takes. */
const noLimits = {
  statement_timeout: "0",
  lock_timeout: "0",
  idle_in_transaction_session_timeout: "0"
}

const table = "effect_sql_migrations"

const loader = fromFileSystem(fileURLToPath(new URL("../../../migrations", import.meta.url))).pipe(
  Effect.provide([NodeFileSystem.layer, NodePath.layer])
)

const migrationFailed = ({ message, cause }: Migrator.MigrationError) =>
  new DatabaseUnusable({ reason: SqlError.isSqlError(cause) ? `${message}: ${reasonOf(cause)}` : message, cause })

const reachable = (named: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`).pipe(
    Effect.mapError((fault) =>
      isUnavailable(fault) ? fault : new DatabaseUnusable({ reason: `${named}: ${reasonOf(fault)}` })
    )
  )

const applied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ exists: boolean }>`SELECT to_regclass(${table}) IS NOT NULL AS exists`
  if (found?.exists !== true) return []
  const rows = yield* sql<{ migration_id: number }>`SELECT migration_id FROM ${sql(table)} ORDER BY migration_id`
  return rows.map((row) => row.migration_id)
})

/** The migrations of this program the database does not have. */
export const pending = Effect.gen(function* () {
  const ids = yield* applied
  const files = yield* loader
  return files.filter(([id]) => !ids.includes(id)).map(([id, name]) => ({ id, name }))
})

/** The migrator looks at numbers above the newest applied one only and would pass over a smaller one in silence. */
const migrate = Effect.gen(function* () {
  const newest = (yield* applied).at(-1) ?? 0
  const skipped = (yield* pending).find(({ id }) => id < newest)
  if (skipped !== undefined) {
    const reason = `migration ${skipped.id}_${skipped.name} came after number ${newest} was applied; give it a higher number`
    return yield* new DatabaseUnusable({ reason })
  }
  yield* Migrator.make({})({ loader, table })
}).pipe(Effect.catchTag("MigrationError", (error) => Effect.fail(migrationFailed(error))))

/** A role of its own may do nothing until the service grants it. */
const granted = Effect.catchIf(pending, isRefused, (fault) => {
  const reason = `${reasonOf(fault)}; start the service, with this role in GATEWAY_DATABASE_URL if a gateway uses it`
  return Effect.fail(new DatabaseUnusable({ reason }))
})

/** Fails unless the schema is the one this program needs. */
const current = Effect.gen(function* () {
  const [first] = yield* granted
  if (first === undefined) return
  const reason = `migration ${first.id}_${first.name} has not been applied; start the service or run its migrate command`
  return yield* new DatabaseUnusable({ reason })
})

/** Waits for another process, which migrates. */
const migrated = Effect.retry(current, {
  schedule: Schedule.spaced("250 millis").pipe(Schedule.upTo({ duration: patience })),
  while: (error) => error._tag === "DatabaseUnusable"
})

const client = (options: PgClient.PgPoolConfig, startupParameters: Readonly<Record<string, string>>) =>
  PgClient.layer({
    applicationName: "proxy-rental-service",
    ...options,
    startupParameters: { ...startupParameters, ...options.startupParameters }
  })

/** A pool over a schema that is known to be there. */
export const layerPool = (options: PgClient.PgPoolConfig) =>
  Layer.provideMerge(Atomically.layer, client(options, limits))

/** The pool, once `ready` has succeeded on a connection of its own. */
const layerAfter =
  <E>(ready: Effect.Effect<void, E, SqlClient.SqlClient>) =>
  (options: PgClient.PgPoolConfig, named = "the server") => {
    const connection = client({ ...options, maxConnections: 1 }, noLimits)
    const check = patiently(Effect.andThen(reachable(named), ready).pipe(Effect.provide(connection)), named)
    return Layer.provide(layerPool(options), Layer.effectDiscard(check))
  }

/** A migrated database: everything built on this layer sees the current schema. */
export const layerWith = layerAfter(migrate)

const Address = Schema.RedactedFromValue(
  Schema.String.check(
    Schema.makeFilter(
      (text) =>
        (/^postgres(ql)?:/.test(text) && URL.canParse(text)) || "must be postgres://user:password@host:port/database"
    )
  )
)

const settings = Config.all({
  url: Config.option(Config.schema(Address, "DATABASE_URL")),
  maxConnections: integer("DATABASE_POOL", 10, 100).pipe(Config.withDefault(20))
})

const folder = (directory: string) => path.join(directory, "postgres")

const embedded = Effect.gen(function* () {
  const directory = yield* StateDirectory
  return yield* EmbeddedPostgres.start({ directory: folder(directory), secured: true })
}).pipe(Effect.provide(StateDirectory.layer))

/** Makes neither a database nor a directory. */
const embeddedBefore = Effect.gen(function* () {
  const directory = yield* located
  if (fs.existsSync(path.join(folder(directory), "data"))) return yield* embedded
  return yield* new DatabaseAbsent({ directory })
})

/** `DATABASE_URL`, else a server of the program's own in the state directory. */
const fromConfig = <E, F, R>(
  build: (options: PgClient.PgPoolConfig, named: string) => Layer.Layer<Provided, E>,
  start: Effect.Effect<EmbeddedPostgres.EmbeddedPostgres, F, R>
) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { url, maxConnections } = yield* settings
      if (Option.isSome(url)) return build({ url: url.value, maxConnections }, "DATABASE_URL")
      return Layer.unwrap(
        Effect.map(start, (server) => build({ ...server, maxConnections }, "the embedded PostgreSQL"))
      )
    })
  )

type Provided = Layer.Success<ReturnType<typeof layerPool>>

/** For the service: it makes the database, and migrates it. */
export const layer = fromConfig(layerWith, embedded)

/** For a process beside the service: it leaves the database and its migrations to the service, and waits for these. */
export const layerConnected = fromConfig(layerAfter(migrated), embeddedBefore)

/** For an operator's command: it acts on the database of a service, and makes none. */
export const layerPresent = fromConfig(layerAfter(current), embeddedBefore)

/** The same where nothing may be written; it waits for migrations. */
export const layerReadOnly = fromConfig(
  (options: PgClient.PgPoolConfig, named) =>
    layerAfter(migrated)({ ...options, startupParameters: { default_transaction_read_only: "on" } }, named),
  embeddedBefore
)
