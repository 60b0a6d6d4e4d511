import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import * as Database from "../../src/platform/postgres/Database.ts"

const { fault, ...server } = inject("postgres")

const run = (statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ ...server, maxConnections: 1 })),
    Effect.orDie
  )

const fresh = (from: string) => {
  const name = `test_${randomUUID().replaceAll("-", "")}`
  return Effect.acquireRelease(Effect.as(run(`CREATE DATABASE ${name} ${from}`), name), () =>
    run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  )
}

const migrated = Effect.suspend(() =>
  fault === null ? fresh("TEMPLATE template STRATEGY FILE_COPY") : Effect.die(new Error(fault))
)

/** The address of a migrated database that is dropped when the scope closes. */
export const config = Effect.map(migrated, (database) => ({ ...server, database, maxConnections: 8 }))

/** The same without a schema. */
export const configEmpty = Effect.map(fresh("STRATEGY FILE_COPY"), (database) => ({ ...server, database }))

/** The `DATABASE_URL` of a database, for another process. */
export const urlOf = (database: string) =>
  `postgres:///${database}?user=${server.username}&host=${encodeURIComponent(server.host)}&port=${server.port}`

/** The `DATABASE_URL` of this test's database. */
export const url = Effect.map(PgClient.PgClient, ({ config }) => urlOf(config.database ?? ""))

/**
 * A migrated database for each build of the layer, dropped at the end. The pool runs on real time: a test that moves
 * its clock by hours loses no connections.
 */
export const layer = Layer.unwrap(Effect.map(config, Database.layerPool)).pipe(
  Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue()))
)
