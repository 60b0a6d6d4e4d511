import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { randomUUID } from "node:crypto"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import type { GatewayProxy } from "../../src/gateway/GatewayProxy.ts"
import { Shop } from "../../src/shop/Shop.ts"
import type { ShopFile } from "../../src/shop/ShopFile.ts"
import { demo } from "../support/GatewayShop.ts"
import * as HeldPorts from "../support/HeldPorts.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const services = Layer.mergeAll(CatalogWriter.layer, GatewayProxies.layer, HeldPorts.layer, Shop.layer).pipe(
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ GATEWAY_PORTS: "25000-25499" })))
)

const poolNames = ["us-dc", "us-mobile", "de-dc"] as const
const kinds = {
  "us-dc": { country: "US", kind: "datacenter" },
  "us-mobile": { country: "US", kind: "mobile" },
  "de-dc": { country: "DE", kind: "datacenter" }
} as const
const addresses = Array.from({ length: 6 }, (_, index) => `203.0.113.${index + 1}`)

/** Any shop of these pools and articles: each address in one pool or in none, each article on, renewable or missing. */
const shops: fc.Arbitrary<ShopFile> = fc
  .record({
    owners: fc.tuple(...addresses.map(() => fc.constantFrom(...poolNames, null))),
    machine: fc.option(fc.constantFrom(...poolNames)),
    states: fc.tuple(
      ...poolNames.map(() => fc.constantFrom("on" as const, "renew_only" as const, "off" as const, null))
    ),
    usd: fc.bigInt({ min: 10_000n, max: 5_000_000n }),
    limit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })
  })
  .map(({ limit, machine, owners, states, usd }) => ({
    version: 1,
    pools: Object.fromEntries(
      poolNames.map((name) => {
        const exits = machine === name ? ("machine" as const) : addresses.filter((_, index) => owners[index] === name)
        return [name, { ...kinds[name], exits }]
      })
    ),
    articles: Object.fromEntries(
      poolNames.flatMap((pool, index) => {
        const state = states[index]
        if (state === null || state === undefined) return []
        const { kind } = kinds[pool]
        const mode = kind === "mobile" ? ("rotating" as const) : ("static" as const)
        const periods = [{ days: 30, name: "1 month", usd }]
        const article = { pool, mode, ip_version: "IPv4" as const, name: pool, periods, state, ...(limit && { limit }) }
        return [[`a-${pool}`, article]]
      })
    )
  }))

type Action =
  | { readonly _tag: "Apply"; readonly shop: ShopFile }
  | { readonly _tag: "Open"; readonly article: string }
  | { readonly _tag: "Rotate" | "Close"; readonly which: number }
  | { readonly _tag: "Sync" }

const article = fc.constantFrom(...poolNames.map((name) => `a-${name}`))
const actions: fc.Arbitrary<ReadonlyArray<Action>> = fc.array(
  fc.oneof(
    shops.map((shop) => ({ _tag: "Apply" as const, shop })),
    article.map((article) => ({ _tag: "Open" as const, article })),
    article.map((article) => ({ _tag: "Open" as const, article })),
    fc.record({ _tag: fc.constantFrom("Rotate" as const, "Close" as const), which: fc.nat(20) }),
    fc.constant({ _tag: "Sync" as const })
  ),
  { minLength: 5, maxLength: 15 }
)

/** Syncs the offers of the gateway as the catalog sync does. */
const sync = Effect.gen(function* () {
  const { changing, replace } = yield* CatalogWriter
  const { offers } = yield* GatewayProxies
  yield* changing(
    Effect.flatMap(offers, (all) => replace({ name: "gateway", isOwn: true }, all)),
    { fills: true }
  )
})

const tried = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.asVoid(Effect.result(effect))

/** Runs the actions. Checks after each that running proxies are as they were sold. */
const run = Effect.fnUntraced(function* (actions: ReadonlyArray<Action>) {
  const shop = yield* Shop
  const sql = yield* SqlClient.SqlClient
  const { close, get, open, rotate } = yield* GatewayProxies
  const running = new Map<string, GatewayProxy>()

  const at = (which: number) => [...running.values()][which % Math.max(1, running.size)]

  const act = Effect.fnUntraced(function* (action: Action) {
    if (action._tag === "Apply")
      return yield* tried(shop.apply({ shop: action.shop, faultAt: demo.faultAt, is_demo: false, isSelling: true }))
    if (action._tag === "Open") {
      const expires_at = DateTime.makeUnsafe("2100-01-01T00:00:00Z")
      const wanted = {
        reference: randomUUID(),
        article: action.article,
        protocol: "HTTP",
        limit_bytes: 9n,
        expires_at
      } as const
      const opened = yield* Effect.result(open(wanted))
      if (Result.isSuccess(opened)) running.set(opened.success.id, opened.success)
      return
    }
    if (action._tag === "Sync") return yield* sync
    const proxy = at(action.which)
    if (proxy === undefined) return
    if (action._tag === "Close") {
      yield* close(proxy.id)
      running.delete(proxy.id)
    } else if (proxy.kind === "mobile") running.set(proxy.id, yield* rotate(proxy.id))
  })

  for (const action of actions) {
    yield* act(action)
    for (const proxy of running.values()) assert.deepStrictEqual(yield* get(proxy.id), proxy)
    const wrong = yield* sql`
      SELECT g.id FROM gateway_proxy g JOIN gateway_article a ON a.id = g.article
      WHERE g.status = 'open' AND ((g.pool, g.kind, g.country_code) <> (a.pool, a.kind, a.country_code)
        OR g.exit_ip IS NOT NULL AND NOT EXISTS (SELECT FROM exit_address e WHERE e.ip = g.exit_ip AND e.pool = g.pool))
    `
    assert.lengthOf(wrong, 0)
    const soldOut = yield* sql`
      SELECT o.external_id FROM offer o JOIN gateway_stock s ON s.article = o.external_id
      WHERE o.listed AND o.is_available AND s."left" = 0
    `
    assert.lengthOf(soldOut, 0)
    const twice = yield* sql`
      SELECT exit_ip FROM gateway_proxy WHERE status = 'open' AND kind <> 'mobile' AND exit_ip IS NOT NULL
      GROUP BY exit_ip HAVING count(*) > 1
    `
    assert.lengthOf(twice, 0)
  }
  yield* Effect.forEach(running.values(), ({ id }) => close(id), { discard: true })
})

layer(services)("Any sequence of applies, syncs, sales, rotations and ends", (it) => {
  it.effect(
    "keeps what is running, sells each article from its own pool, and shows what is sold out",
    () =>
      Effect.gen(function* () {
        const context = yield* Effect.context<Shop | SqlClient.SqlClient | GatewayProxies | CatalogWriter>()
        const property = fc.asyncProperty(actions, (sequence) => Effect.runPromiseWith(context)(run(sequence)))
        yield* Effect.promise(() => fc.assert(property, { numRuns: 25 }))
      }),
    60_000
  )
})
