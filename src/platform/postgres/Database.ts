import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { PgClient } from "@effect/sql-pg"
import { Config, Effect, Layer, Option, Redacted, Schedule, Schema } from "effect"
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
import { socketUrl } from "./SocketUrl.ts"
import { located, StateDirectory } from "../settings/StateDirectory.ts"
import { Wakes } from "./Wakes.ts"

/** Limits for the statements, locks and idle transactions of requests, so that none blocks others for long. */
const limits = {
  statement_timeout: "30s",
  lock_timeout: "10s",
  idle_in_transaction_session_timeout: "30s"
}

/** Migrations have no time limit. */
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
    Effect.mapError((error) =>
      isUnavailable(error) ? error : new DatabaseUnusable({ reason: `${named}: ${reasonOf(error)}` })
    )
  )

const applied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ exists: boolean }>`SELECT to_regclass(${table}) IS NOT NULL AS exists`
  if (found?.exists !== true) return []
  const rows = yield* sql<{ migration_id: number }>`SELECT migration_id FROM ${sql(table)} ORDER BY migration_id`
  return rows.map((row) => row.migration_id)
})

/** Lists the migrations of this program that the database lacks. */
export const pending = Effect.gen(function* () {
  const ids = yield* applied
  const files = yield* loader
  return files.filter(([id]) => !ids.includes(id)).map(([id, name]) => ({ id, name }))
})

/**
 * Applies the pending migrations. Fails for a number below the newest applied one, because the migrator would skip it
 * silently.
 */
const migrate = Effect.gen(function* () {
  const newest = (yield* applied).at(-1) ?? 0
  const skipped = (yield* pending).find(({ id }) => id < newest)
  if (skipped !== undefined) {
    const reason = `migration ${skipped.id}_${skipped.name} has a number below ${newest}, which is applied already; give it a higher number`
    return yield* new DatabaseUnusable({ reason })
  }
  yield* Migrator.make({})({ loader, table })
}).pipe(Effect.catchTag("MigrationError", (error) => Effect.fail(migrationFailed(error))))

/** Explains a missing permission: a role other than the owner has none until the service grants them. */
const granted = Effect.catchIf(pending, isRefused, (error) => {
  const reason = `${reasonOf(error)}; start the service, with this role in GATEWAY_DATABASE_URL if a gateway uses it`
  return Effect.fail(new DatabaseUnusable({ reason }))
})

/** Fails unless the database has all migrations of this program. */
const current = Effect.gen(function* () {
  const [first] = yield* granted
  if (first === undefined) return
  const reason = `migration ${first.id}_${first.name} has not been applied; start the service or run its migrate command`
  return yield* new DatabaseUnusable({ reason })
})

/** Waits until another process has applied the migrations. */
const migrated = Effect.retry(current, {
  schedule: Schedule.spaced("250 millis").pipe(Schedule.upTo({ duration: patience })),
  while: (error) => error._tag === "DatabaseUnusable"
})

/** A connection that listens sends nothing, so without probes it would never notice that the server has gone. */
const keepAlive = "10 seconds"

const client = (options: PgClient.PgPoolConfig, startupParameters: Readonly<Record<string, string>>) =>
  PgClient.layer({
    applicationName: "proxy-rental-service",
    keepAlive,
    ...options,
    startupParameters: { ...startupParameters, ...options.startupParameters }
  })

/** Wakes listeners on one connection beside the pool, so that a wake-up does not wait for a free one. */
const wakes = (options: PgClient.PgPoolConfig) =>
  Wakes.layerNoDeps.pipe(Layer.provide(client({ ...options, maxConnections: 1, minConnections: 0 }, limits)))

/** Connects a pool to a database that has the schema already. */
export const layerPool = (options: PgClient.PgPoolConfig) =>
  Atomically.layer.pipe(Layer.provideMerge(wakes(options)), Layer.provideMerge(client(options, limits)))

/** Connects the pool after `ready` has succeeded on a separate connection. */
const layerAfter =
  <E>(ready: Effect.Effect<void, E, SqlClient.SqlClient>) =>
  (options: PgClient.PgPoolConfig, named = "the server") => {
    const connection = client({ ...options, maxConnections: 1 }, noLimits)
    const check = patiently(Effect.andThen(reachable(named), ready).pipe(Effect.provide(connection)), named)
    return Layer.provide(layerPool(options), Layer.effectDiscard(check))
  }

/** Applies the migrations first, so that everything built on this layer sees the current schema. */
export const layerWith = layerAfter(migrate)

const Address = Schema.RedactedFromValue(
  Schema.String.check(
    Schema.makeFilter(
      (text) =>
        (/^postgres(ql)?:/.test(text) && URL.canParse(text)) || "must be postgres://user:password@host:port/database"
    )
  )
)

/** `DATABASE_POOL`: the connections of the pool of each process. */
export const PoolSize = integer("DATABASE_POOL", 10, 100).pipe(Config.withDefault(20))

const settings = Config.all({
  url: Config.option(Config.schema(Address, "DATABASE_URL")),
  maxConnections: PoolSize
})

const folder = (directory: string) => path.join(directory, "postgres")

const embedded = Effect.gen(function* () {
  const directory = yield* StateDirectory
  return yield* EmbeddedPostgres.start({ directory: folder(directory), secured: true })
}).pipe(Effect.provide(StateDirectory.layer))

/** Starts the embedded server of an existing database. Creates neither a database nor a directory. */
const embeddedBefore = Effect.gen(function* () {
  const directory = yield* located
  if (fs.existsSync(path.join(folder(directory), "data"))) return yield* embedded
  return yield* new DatabaseAbsent({ directory })
})

/** The services of a connected database. */
type Provided = Atomically | PgClient.PgClient | SqlClient.SqlClient | Wakes

/** Connects to `DATABASE_URL`, else to the embedded server in the state directory. */
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

/** The facts that a service needs to run other processes on its database. */
export const shared = Effect.gen(function* () {
  const { config } = yield* PgClient.PgClient
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<{ connections: number }>`SELECT current_setting('max_connections')::int AS connections`
  const { password, url, username = "" } = config
  const secret = Redacted.isRedacted(password) ? Redacted.value(password) : ""
  return {
    /** The address of the database for the role of this process. */
    url: url === undefined ? socketUrl(config, username, secret) : Redacted.value(url),
    /** The connections that the server accepts in all. */
    connections: found?.connections ?? 0,
    /** The connections of the pool of each process. */
    pool: (yield* settings).maxConnections
  }
})

/** For the service, which creates the database and applies the migrations. */
export const layer = fromConfig(layerWith, embedded)

/** For a process beside the service. It waits until the service has created the database and applied the migrations. */
export const layerConnected = fromConfig(layerAfter(migrated), embeddedBefore)

/** For an operator's command. It uses the database of a service and creates none. */
export const layerPresent = fromConfig(layerAfter(current), embeddedBefore)

/** For an operator's command that only reads. It waits for migrations. */
export const layerReadOnly = fromConfig(
  (options: PgClient.PgPoolConfig, named) =>
    layerAfter(migrated)({ ...options, startupParameters: { default_transaction_read_only: "on" } }, named),
  embeddedBefore
)
