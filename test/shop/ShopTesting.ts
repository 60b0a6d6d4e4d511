import { ConfigProvider, DateTime, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { read } from "../../src/shop/ReadShopFile.ts"
import { Shop } from "../../src/shop/Shop.ts"
import { newUser } from "../support/Fixtures.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

export const services = Layer.mergeAll(GatewayProxies.layer, HeldPorts.layer, Shop.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ GATEWAY_PORTS: "24000-24199" })))
)

export const text = `version: 1
pools:
  us-dc: { country: US, kind: datacenter, exits: [203.0.113.6, 203.0.113.7] }
  de-dc: { country: DE, kind: datacenter, exits: [203.0.113.16] }
articles:
  dc-us:
    pool: us-dc
    mode: static
    ip_version: IPv4
    name: Datacenter US
    periods:
      - { days: 30, months: 1, name: 1 month, usd: 1.80, star: 139, cost: 0.40 }
      - { days: 90, months: 3, name: 3 months, usd: 5.13 }
  dc-de: { pool: de-dc, mode: static, ip_version: IPv4, name: Datacenter DE, periods: [{ days: 30, name: 1 month, usd: 2 }] }
`

export const sharing = (name: string, pool: string, version: string) =>
  `  ${name}: { pool: ${pool}, mode: static, ip_version: ${version}, name: ${name}, periods: [{ days: 30, name: 1 month, usd: 2 }] }\n`

export const ruleOf = (part: string) => `prices:\n  - { vendor: gateway, article: dc-de, ${part} }\n`

export const changeOf = (file: string) => ({ ...Result.getOrThrow(read(file)), is_demo: false, isSelling: true })
export const plan = (file: string) =>
  Effect.map(
    Shop.use((shop) => shop.plan(changeOf(file))),
    ({ lines }) => lines
  )
export const apply = (file: string) =>
  Effect.map(
    Shop.use((shop) => shop.apply(changeOf(file))),
    ({ lines }) => lines
  )
export const faultsOf = (file: string) =>
  Effect.map(Effect.flip(apply(file)), ({ faults }) =>
    faults.map(({ field, line, reason }) => `${line} ${field}: ${reason}`)
  )

export const open = (article: string) =>
  GatewayProxies.use((proxies) =>
    proxies.open({
      reference: randomUUID(),
      article,
      protocol: "HTTP",
      limit_bytes: null,
      expires_at: DateTime.makeUnsafe("2100-01-01T00:00:00Z")
    })
  )

export const close = ({ id }: { readonly id: Parameters<GatewayProxies["Service"]["close"]>[0] }) =>
  GatewayProxies.use((proxies) => proxies.close(id))

/** Records an order of an article. */
export const ordered = Effect.fnUntraced(function* (external_id: string) {
  const sql = yield* SqlClient.SqlClient
  const offers = yield* sql<{ id: number }>`SELECT id FROM offer WHERE external_id = ${external_id}`
  const order = OrderRows.paidOrder(randomUUID(), yield* newUser, yield* DateTime.now)
  yield* sql`INSERT INTO proxy_order ${sql.insert({ ...order, offer_id: offers[0]?.id, provider: "gateway", external_id })}`
})

export const catalog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [version] = yield* sql<{ version: string }>`SELECT version::text FROM catalog_version`
  const offers = yield* sql<{ external_id: string; usd: string; listed: boolean; is_available: boolean }>`
    SELECT external_id, options -> 0 -> 'prices' ->> 'USD' AS usd, listed, renewable, is_available FROM offer ORDER BY id
  `
  return { version: Number(version?.version), offers }
})
