import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Clock, ConfigProvider, Context, DateTime, Effect, Layer, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as fs from "node:fs"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { GatewayProxyId } from "../../src/gateway/GatewayProxy.ts"
import * as AutoRenewal from "../../src/orders/changes/AutoRenewal.ts"
import { AutoRenewalRepo } from "../../src/orders/changes/AutoRenewalRepo.ts"
import * as ProxyChangeRecovery from "../../src/orders/changes/ProxyChangeRecovery.ts"
import { ProxyChangesRepo } from "../../src/orders/changes/ProxyChangesRepo.ts"
import * as ProvisioningRecovery from "../../src/orders/provisioning/ProvisioningRecovery.ts"
import { ProvisioningRepo } from "../../src/orders/provisioning/ProvisioningRepo.ts"
import * as Expiry from "../../src/orders/proxies/Expiry.ts"
import { ExpiryRepo } from "../../src/orders/proxies/ExpiryRepo.ts"
import { ProxyHold } from "../../src/orders/proxies/ProxyHold.ts"
import * as Database from "../../src/platform/postgres/Database.ts"
import * as FirstShop from "../../src/shop/FirstShop.ts"
import { Shop } from "../../src/shop/Shop.ts"
import { Reconciliation } from "../../src/reconciliation/Reconciliation.ts"
import { reconcile } from "../cli/ReconcileTesting.ts"
import { marginSince } from "../support/MarginQuery.ts"
import * as TestApp from "../support/TestApp.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { migratedTo } from "./MigratedTo.ts"

/** The last migration of the version before the shop. */
const last = 38

type Row = Record<string, unknown>

/**
 * The rows of a database of that version. It sold these orders: four without exit addresses, then, with
 * `GATEWAY_EXIT_IPS`, three that run, one that waits for its payment, and two that are paid but not provisioned.
 */
const text = fs.readFileSync(new URL("./beforeShop.json", import.meta.url), "utf8")
const rows: Record<string, ReadonlyArray<object>> = JSON.parse(text)
const env = { GATEWAY_PORTS: "28000-28049", GATEWAY_EXIT_IPS: "US=127.0.0.2|127.0.0.3|127.0.0.4" }
const settings = ConfigProvider.layer(ConfigProvider.fromEnvRecord(env))
const upgradedAt = "2026-11-24T16:38:00Z"

/** The rows of the filled tables. */
const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found: Record<string, ReadonlyArray<Row>> = {}
  for (const table of Object.keys(rows))
    found[table] = (yield* sql<{ row: Row }>`SELECT to_jsonb(t) AS row FROM ${sql(table)} t ORDER BY t`).map(
      ({ row }) => row
    )
  return found
})

/** The rows of the version before. */
class Written extends Context.Service<Written, Effect.Success<typeof tables>>()("test/Written") {}

const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* migratedTo(last)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET LOCAL session_replication_role = replica`
      yield* sql`TRUNCATE catalog_version`
      for (const [table, list] of Object.entries(rows)) {
        const columns = sql.literal(Object.keys(list[0] ?? {}).join(", "))
        yield* sql`
          INSERT INTO ${sql(table)} (${columns}) OVERRIDING SYSTEM VALUE
          SELECT ${columns} FROM jsonb_populate_recordset(NULL::${sql(table)}, ${JSON.stringify(list)}::jsonb)
        `
      }
      yield* sql`SELECT setval(pg_get_serial_sequence('offer', 'id'), (SELECT max(id) FROM offer))`
    })
  )
  return yield* tables
})

/** The database of the version before, upgraded as a start does. */
const database = Layer.unwrap(
  Effect.gen(function* () {
    const options = yield* TestDatabase.configEmpty
    const written = yield* Effect.provide(fill, PgClient.layer({ ...options, maxConnections: 1 }))
    const upgraded = Layer.orDie(Database.layerWith({ ...options, maxConnections: 8 }))
    return Layer.merge(upgraded, Layer.succeed(Written, written))
  })
).pipe(Layer.provide(Layer.succeed(Clock.Clock, Clock.Clock.defaultValue())))

const services = Layer.mergeAll(CatalogWriter.layer, GatewayProxies.layer, Reconciliation.layer, Shop.layer).pipe(
  Layer.provideMerge(TestApp.layerOver(database, env))
)

/** The start of the service, as far as it concerns what is sold. */
const start = Effect.andThen(
  Effect.scoped(Layer.build(Layer.provide(FirstShop.layerIf(Effect.succeed(false)), settings))),
  CatalogSync.run
)

const jobs = Effect.gen(function* () {
  for (const run of [Expiry.run, ProvisioningRecovery.run, AutoRenewal.run, ProxyChangeRecovery.run]) yield* run
}).pipe(
  Effect.provide([
    AutoRenewalRepo.layer,
    ExpiryRepo.layer,
    ProvisioningRepo.layer,
    ProxyChangesRepo.layer,
    ProxyHold.layer
  ])
)

/** The rows with the columns that the version before had. */
const asBefore = Effect.fnUntraced(function* (table: string) {
  const before = (yield* Written)[table] ?? []
  const columns = new Set(Object.keys(before[0] ?? {}))
  const after = (yield* tables)[table] ?? []
  return {
    before,
    after: after.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => columns.has(name))))
  }
})

/** What customers see of an offer, and what they pay. */
const shown = ({ country_code, external_id, id, kind, mode, options, price_per_gb }: Row) => ({
  id,
  external_id,
  kind,
  mode,
  country_code,
  options: (options as ReadonlyArray<Row>).map((option) => Struct.omit(option, ["cost_usd"])),
  price_per_gb: [(price_per_gb as Row)["USD"], (price_per_gb as Row)["STAR"]]
})

layer(services)("A database of the version before the shop, with running orders", (it) => {
  it.effect("keeps every row when it is upgraded and the service starts", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(upgradedAt)))
      const sql = yield* SqlClient.SqlClient
      assert.isTrue(yield* Shop.use(({ hadOffers }) => hadOffers))
      yield* start
      for (const table of Object.keys(rows).filter((name) => name !== "offer" && name !== "catalog_version")) {
        const { after, before } = yield* asBefore(table)
        assert.isAbove(before.length, 0)
        assert.deepStrictEqual(after, before, table)
      }
      const offers = yield* asBefore("offer")
      assert.sameDeepMembers(offers.after.map(shown), offers.before.map(shown))
      assert.lengthOf(yield* sql`SELECT FROM offer WHERE NOT renewable`, 0)
    })
  )

  it.effect("shows its proxies as before, on their addresses, and no cost that nobody knows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { get } = yield* GatewayProxies
      const old = (yield* Written)["gateway_proxy"] ?? []
      for (const { exit_ip, id, port, status } of old) {
        const proxy = yield* get(GatewayProxyId.make(String(id)))
        assert.deepStrictEqual([proxy.exit_ip, proxy.port, proxy.status], [exit_ip, port, status])
        assert.deepStrictEqual([proxy.article, proxy.pool], [null, null])
      }
      for (const table of ["proxy_order", "proxy_change"])
        assert.lengthOf(yield* sql`SELECT FROM ${sql(table)} WHERE cost_usd IS NOT NULL`, 0)
      const [margin] = yield* sql.unsafe<{ sales: bigint; without_cost: bigint }>(marginSince("2026-11-01"))
      assert.deepStrictEqual([margin?.sales, margin?.without_cost], [9n, 9n])
    })
  )

  it.effect("delivers what was paid, and sells no datacenter address as a mobile one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // The service looks the proxy up first, and orders it again when nobody has opened it.
      yield* jobs
      yield* TestClock.adjust("1 minute")
      yield* jobs
      const paid = ((yield* Written)["proxy_order"] ?? []).filter(({ status }) => status === "paid")
      const ids = paid.map(({ id }) => id)
      const found = yield* sql<{ external_id: string; status: string; total: bigint; pool: string; ip: string }>`
        SELECT o.external_id, o.status, o.total, g.pool, host(g.exit_ip) AS ip
        FROM proxy_order o LEFT JOIN gateway_proxy g ON g.reference = o.id
        WHERE ${sql.in("o.id", ids)} ORDER BY 1
      `
      assert.lengthOf(found, 2)
      const [datacenter, mobile] = found
      assert.deepStrictEqual(datacenter, {
        external_id: "datacenter-ipv4-us",
        status: "provisioned",
        total: 1_800_000n,
        pool: "us-datacenter",
        ip: "127.0.0.3"
      })
      assert.deepStrictEqual([mobile?.external_id, mobile?.total], ["mobile-ipv4-us", 2_500_000n])
      assert.include(["provisioned", "refunded"], mobile?.status)
      assert.notStrictEqual(mobile?.pool, "us-datacenter")
    })
  )

  it.effect("renews its proxies at their prices, on their addresses", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const before = yield* sql`SELECT id, exit_ip FROM gateway_proxy ORDER BY id`
      const renewing = ((yield* Written)["proxy_order"] ?? []).filter(({ auto_renew }) => auto_renew === true)
      for (const expiring_at of renewing.map(({ expiring_at }) => String(expiring_at)).toSorted()) {
        yield* TestClock.setTime(DateTime.toEpochMillis(DateTime.makeUnsafe(expiring_at)))
        yield* jobs
      }
      const renewals = yield* sql<{ total: bigint; price: bigint; currency: string; status: string; cost_usd: bigint }>`
        SELECT DISTINCT ON (o.id) o.total AS price, c.total, c.currency, c.status, c.cost_usd
        FROM proxy_order o LEFT JOIN proxy_change c ON c.order_id = o.id AND c.origin = 'auto_renew'
        WHERE o.auto_renew ORDER BY o.id, c.id
      `
      assert.lengthOf(renewals, 5)
      assert.includeDeepMembers(
        renewals.map(({ currency, price }) => [price, currency]),
        [
          [1_800_000n, "USD"],
          [12_000_000n, "USD"],
          [139n, "STAR"]
        ]
      )
      for (const { cost_usd, price, status, total } of renewals)
        assert.deepStrictEqual([total, status, cost_usd], [price, "applied", 0n])
      assert.deepStrictEqual(yield* sql`SELECT id, exit_ip FROM gateway_proxy ORDER BY id`, before)
      const { found } = yield* reconcile()
      const differing = found.filter((line) => line.startsWith("ledger") || line.startsWith("orders"))
      assert.deepStrictEqual(differing, [])
    })
  )
})
