import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Client } from "pg"
import * as Database from "../src/platform/postgres/Database.ts"
import type { EmbeddedPostgres } from "../src/platform/postgres/EmbeddedPostgres.ts"
import { Wakes } from "../src/platform/postgres/Wakes.ts"
import { run as drive } from "./peer/Load.ts"

/**
 * Changes of gateway proxies that PostgreSQL commits in a second, without any service: each lane has its own connection
 * and its own proxy. A checkout whose database wakes nobody by itself sends the wake-ups, as the service does.
 */
export const bareCommits = Effect.fnUntraced(function* (database: EmbeddedPostgres, lanes: number, millis: number) {
  const lane = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const { host, port, username: user, database: name } = database
      const all = Array.from({ length: lanes }, () => new Client({ host, port, user, database: name }))
      await Promise.all(all.map((client) => client.connect()))
      return all
    }),
    (all) => Effect.promise(() => Promise.all(all.map((client) => client.end())))
  )
  return yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { wake } = yield* Wakes
    const wakes = (yield* sql`SELECT WHERE to_regproc('wake_gateway_proxy') IS NOT NULL`).length > 0
    const proxies = yield* sql<{ id: string }>`
      SELECT id FROM gateway_proxy WHERE status = 'open' ORDER BY id LIMIT ${lanes}
    `
    const change = {
      name: "change",
      text: "UPDATE gateway_proxy SET whitelist = ARRAY[host(whitelist[1])::inet + 1] WHERE id = $1"
    }
    yield* sql`UPDATE gateway_proxy SET whitelist = '{192.0.2.1}' WHERE status = 'open'`
    const { rate } = yield* drive(lanes, millis, async (n) => {
      const { id } = proxies[n]!
      await lane[n]!.query({ ...change, values: [id] })
      if (wakes) Effect.runSync(wake("gateway_proxy", [id]))
    })
    return rate
  }).pipe(Effect.provide(Database.layerPool({ ...database, maxConnections: 1 })))
}, Effect.scoped)
