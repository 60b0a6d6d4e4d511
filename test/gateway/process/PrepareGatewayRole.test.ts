import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Array as Arr, ConfigProvider, Effect, Fiber, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as Gateway from "../../../src/gateway/process/Gateway.ts"
import { GatewayProxies } from "../../../src/gateway/GatewayProxies.ts"
import * as PrepareGatewayRole from "../../../src/gateway/process/PrepareGatewayRole.ts"
import * as Database from "../../../src/platform/postgres/Database.ts"
import { eventually } from "../../support/RunningService.ts"
import * as GatewayShop from "../../support/GatewayShop.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { flood, portRange, rawOrigin } from "../Origin.ts"
import { drained } from "../ProxyClient.ts"
import { open, tunnelTo, usageReaches } from "../RunningGateway.ts"

/** A role for this test in the shared database server, and the URL with which a gateway uses it. */
const role = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const name = `gateway_${randomUUID().slice(0, 8)}`
  yield* Effect.acquireRelease(sql`CREATE ROLE ${sql(name)} LOGIN PASSWORD 'secret'`, () =>
    Effect.ignore(Effect.andThen(sql`DROP OWNED BY ${sql(name)}`, sql`DROP ROLE ${sql(name)}`))
  )
  const url = (yield* TestDatabase.url).replace(/user=[^&]*/, `user=${name}`)
  return { name, url }
})

const configured = (env: Record<string, string>) =>
  Layer.succeed(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(env))

const ports = { GATEWAY_PORTS: `${portRange.first}-${portRange.last}` }

const services = Layer.merge(GatewayProxies.layer, GatewayShop.layer()).pipe(
  Layer.provide(configured(ports)),
  Layer.provideMerge(TestDatabase.layer)
)

/** Runs with a database connection of the role. */
const asRole = Effect.gen(function* () {
  const { name, url } = yield* role
  const sql = yield* SqlClient.SqlClient
  // Too many privileges, as an operator may have granted them before.
  yield* sql`GRANT SELECT ON user_account TO ${sql(name)}`
  const env = yield* Effect.provide(PrepareGatewayRole.make, configured({ GATEWAY_DATABASE_URL: url }))
  assert.deepStrictEqual(env, { DATABASE_URL: url })
  return Database.layerPool({ url: Redacted.make(url), maxConnections: 6 })
})

layer(services, { excludeTestServices: true })("The role of gateways", (it) => {
  it.effect("permits all work of a gateway", () =>
    Effect.gen(function* () {
      const origin = yield* Effect.acquireRelease(
        Effect.promise(() => rawOrigin(flood)),
        ({ close }) => Effect.sync(close)
      )
      const env = configured({ ...ports, GATEWAY_ALLOW: `127.0.0.1:${origin.port}` })
      const limit = 3_000_000
      yield* Effect.gen(function* () {
        yield* Layer.build(Layer.fresh(Gateway.layer).pipe(Layer.provide([env, yield* asRole])))
        const proxy = yield* open({ limit_bytes: BigInt(limit) })
        const { bytes } = yield* Effect.promise(async () =>
          drained(await Effect.runPromise(tunnelTo(proxy, origin.port)))
        )
        assert.strictEqual(bytes, limit)
        yield* usageReaches(proxy, limit)
        yield* GatewayProxies.use(({ close }) => close(proxy.id))
      }).pipe(Effect.scoped)
      const sql = yield* SqlClient.SqlClient
      assert.lengthOf(
        yield* sql`SELECT FROM gateway_instance UNION ALL SELECT FROM gateway_holder`,
        0,
        "it left in order"
      )
    })
  )

  it.effect("gets its privileges when the service starts, and gateways wait for them", () =>
    Effect.gen(function* () {
      const { name, url } = yield* role
      const sql = yield* SqlClient.SqlClient
      const connecting = Layer.build(Layer.fresh(Database.layerConnected))
      const gateway = yield* Effect.forkScoped(Effect.provide(connecting, configured({ DATABASE_URL: url })))
      const refused = sql`
        SELECT FROM pg_stat_activity WHERE usename = ${name} AND query LIKE 'SELECT migration_id%' AND state = 'idle'
      `
      yield* eventually("it has asked", Effect.filterOrFail(refused, Arr.isReadonlyArrayNonEmpty))
      yield* Effect.provide(PrepareGatewayRole.make, configured({ GATEWAY_DATABASE_URL: url }))
      yield* Fiber.join(gateway)
    })
  )

  it.effect("permits nothing else: no access to accounts, wallets or orders, and no writes to read-only tables", () =>
    Effect.gen(function* () {
      const database = yield* asRole
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const tables = yield* sql<{ name: string }>`
          SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
        `
        const readable: Array<string> = []
        for (const { name } of tables) {
          const outcome = yield* Effect.option(sql`SELECT FROM ${sql(name)} LIMIT 1`)
          if (outcome._tag === "Some") readable.push(name)
        }
        assert.sameMembers(readable, [
          "destination_rule",
          "destination_rules_state",
          "effect_sql_migrations",
          "exit_address",
          "gateway_connection",
          "gateway_cycle",
          "gateway_exit_hold",
          "gateway_holder",
          "gateway_instance",
          "gateway_lease",
          "gateway_log_day",
          "gateway_port",
          "gateway_proxy",
          "gateway_refusal",
          "gateway_usage",
          "gateway_usage_day"
        ])
        const refused = [
          sql`UPDATE gateway_proxy SET logins = logins`,
          sql`UPDATE gateway_proxy SET limit_bytes = NULL`,
          sql`DELETE FROM gateway_proxy`,
          sql`INSERT INTO gateway_cycle (proxy_id, cycle) VALUES (gen_random_uuid(), 1)`,
          sql`DELETE FROM effect_sql_migrations`,
          sql`SELECT destination_mac FROM gateway_connection`,
          sql`DELETE FROM gateway_connection`,
          sql`UPDATE gateway_exit_hold SET exit_ip = NULL`,
          sql`INSERT INTO gateway_exit_hold (proxy_id, port, from_at) VALUES (gen_random_uuid(), 1, now())`,
          sql`SELECT reason FROM destination_rule`,
          sql`DELETE FROM destination_rule`,
          sql`UPDATE gateway_log_day SET key = key`,
          sql`CREATE TABLE mine (id integer)`,
          sql`CREATE ROLE mine`,
          sql`COPY (SELECT 1) TO PROGRAM 'true'`,
          sql`SELECT pg_read_file('postgresql.conf')`
        ]
        for (const statement of refused) {
          const error = yield* Effect.flip(statement)
          assert.match(String(error.reason.cause), /permission denied|must be|42501/)
        }
      }).pipe(Effect.provide(database))
    })
  )
})
