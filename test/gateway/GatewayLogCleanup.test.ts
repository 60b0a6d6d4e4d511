import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as GatewayLogCleanup from "../../src/gateway/GatewayLogCleanup.ts"
import { GatewayLogCleanupRepo } from "../../src/gateway/GatewayLogCleanupRepo.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const day = 86_400_000
const at = (days: number) => new Date(days * day)

/** Fills the tables at day 0 and before; the clock of the test stands at day 0. */
const filled = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE gateway_connection, gateway_refusal, gateway_exit_hold, gateway_log_day, destination_rule, gateway_proxy CASCADE`
  const [proxy] = yield* sql<{ id: string }>`
    INSERT INTO gateway_proxy (id, reference, kind, country_code, ip_version, protocol, port, logins, status, expires_at,
      created_at, updated_at)
    VALUES (gen_random_uuid(), gen_random_uuid(), 'datacenter', 'US', 'IPv4', 'HTTP', 1,
      '[{"username": "u", "password": "p"}]', 'open', ${at(9)}, ${at(-500)}, ${at(-500)}) RETURNING id
  `
  const proxy_id = proxy?.id ?? ""
  for (const days of [-401, -399])
    yield* sql`INSERT INTO gateway_exit_hold (proxy_id, port, from_at, until_at) VALUES (${proxy_id}, 1, ${at(-500)}, ${at(days)})`
  for (const days of [-31, -30, 0]) {
    yield* sql`INSERT INTO gateway_log_day (day, key, dropped) VALUES (${at(days)}::timestamptz::date, ${Buffer.alloc(32)}, 2)`
    yield* sql`
      INSERT INTO gateway_connection (id, proxy_id, exit_ip, exit_port, opened_at, seen_at, closed, destination_port,
        destination_mac)
      VALUES (gen_random_uuid(), ${proxy_id}, '8.8.8.8', 1, ${at(days)}, ${at(days)}, true, 1, ${Buffer.alloc(16)})
    `
  }
  for (const days of [-8, -6])
    yield* sql`
      INSERT INTO gateway_refusal (proxy_id, day, reason, count, first_at, last_at)
      VALUES (${proxy_id}, ${at(days)}::timestamptz::date, 'ended', 1, ${at(days)}, ${at(days)})
    `
  for (const days of [-31, -29, 1])
    yield* sql`
      INSERT INTO destination_rule (id, scope, action, first_port, last_port, reason, placed_by, placed_at, until_at)
      VALUES (gen_random_uuid(), 'platform', 'deny', 1, 1, 'x', 'x', ${at(-60)}, ${at(days)})
    `
  return sql
})

const counts = (sql: SqlClient.SqlClient) =>
  sql`
    SELECT (SELECT count(*)::int FROM gateway_connection) AS connections, (SELECT count(*)::int FROM gateway_log_day) AS days,
      (SELECT count(*)::int FROM gateway_exit_hold) AS holds, (SELECT count(*)::int FROM destination_rule) AS rules,
      (SELECT count(*)::int FROM gateway_refusal) AS refusals
  `

const run = (CONNECTION_LOG_DAYS: string) =>
  GatewayLogCleanup.run.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({ CONNECTION_LOG_DAYS }))
  )

layer(Layer.provideMerge(GatewayLogCleanupRepo.layer, TestDatabase.layer))("GatewayLogCleanup", (it) => {
  it.effect("removes what is too old, with the keys of the days", () =>
    Effect.gen(function* () {
      const sql = yield* filled
      yield* run("30")
      assert.deepStrictEqual(yield* counts(sql), [{ connections: 2, days: 2, holds: 2, rules: 2, refusals: 1 }])
    })
  )

  it.effect("removes the whole log when it is off", () =>
    Effect.gen(function* () {
      const sql = yield* filled
      yield* run("0")
      assert.deepStrictEqual(yield* counts(sql), [{ connections: 0, days: 0, holds: 2, rules: 2, refusals: 1 }])
    })
  )
})
