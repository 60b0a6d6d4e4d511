import { assert } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Catalog } from "../../src/catalog/Catalog.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { GatewayProxies } from "../../src/gateway/GatewayProxies.ts"
import { type GatewayProxy, GatewayProxyId } from "../../src/gateway/GatewayProxy.ts"
import { ProxyChanges } from "../../src/orders/changes/ProxyChanges.ts"
import { OrderPlacement } from "../../src/orders/checkout/OrderPlacement.ts"
import { OrderRequest } from "../../src/orders/checkout/OrderRequest.ts"
import type { LiveOrder } from "../../src/orders/LiveOrder.ts"
import { type Order, OrderId } from "../../src/orders/Order.ts"
import { Orders } from "../../src/orders/Orders.ts"
import { ProxyEnd } from "../../src/orders/proxies/ProxyEnd.ts"
import { Providers } from "../../src/provider/Providers.ts"
import { Shop } from "../../src/shop/Shop.ts"
import type { ShopFile } from "../../src/shop/ShopFile.ts"
import { demo } from "../support/GatewayShop.ts"
import * as OrderTesting from "../support/OrderTesting.ts"

/** The option of an article that a customer orders. */
export interface Wanted {
  readonly article: string
  readonly option: number
  readonly quantity: number
}

export type Action =
  | { readonly _tag: "Apply"; readonly shop: ShopFile }
  | { readonly _tag: "ApplyWhileOrdering"; readonly shop: ShopFile; readonly wanted: ReadonlyArray<Wanted> }
  | { readonly _tag: "ApplyPrices"; readonly shop: ShopFile }
  | { readonly _tag: "Order"; readonly wanted: Wanted }
  | { readonly _tag: "Extend" | "AddTraffic" | "Rotate" | "End"; readonly which: number }
  | { readonly _tag: "Sync" }

/** What a change of the shop must not touch. */
const termsOf = (order: Order) => ({
  id: order.id,
  status: order.status,
  proxy_status: order.proxy_status,
  total: order.total,
  total_usd: order.total_usd,
  cost_usd: order.cost_usd,
  period_days: order.period_days,
  period_months: order.period_months,
  tarification_index: order.tarification_index,
  bandwidth_gb: order.bandwidth_gb,
  access: [order.host, order.port, order.username, order.password],
  expires_at: order.expires_at
})

/** A running order and its proxy as they were after its last operation, and all that was paid for it. */
interface Running {
  readonly order: Order
  readonly proxy: GatewayProxy
  readonly paid: bigint
}

/** The refusals that an order, an extension or traffic may meet in any shop. */
const refusals = new Set(["OfferNotFound", "OfferOutOfStock", "RequestInvalid", "OfferWithdrawn", "NotSold"])

const decodeRequest = Schema.decodeUnknownSync(OrderRequest)

const succeeded = <A, E extends { readonly _tag: string }>(result: Result.Result<A, E>): A | undefined => {
  if (Result.isSuccess(result)) return result.success
  assert.include([...refusals], result.failure._tag)
  return undefined
}

/**
 * Checks that a proxy was sold from the pool of its article. While the shop changes, an article that goes may still sell the
 * last orders, from the addresses that its pool has then.
 */
const checkPool = ({ article, country_code, exit_ip, kind, pool }: GatewayProxy, files: ReadonlyArray<ShopFile>) => {
  const sold = `${article} sold ${exit_ip} of ${pool}`
  assert.isTrue(
    files.some(({ articles }) => articles[article ?? ""]?.pool === pool),
    sold
  )
  const pools = files.flatMap(({ pools }) => pools[pool ?? ""] ?? [])
  assert.isTrue(
    pools.some(({ exits }) => (exit_ip === null ? exits === "machine" : exits.includes(exit_ip))),
    sold
  )
  for (const pool of pools) assert.deepStrictEqual([kind, country_code], [pool.kind, pool.country])
}

const wantedOf = (file: ShopFile, isPricesOnly = false) => ({
  shop: file,
  faultAt: demo.faultAt,
  is_demo: false,
  isSelling: true,
  isPricesOnly
})

const apply = (file: ShopFile) =>
  Shop.use((shop) => Effect.map(Effect.result(shop.apply(wantedOf(file))), Result.isSuccess))

/** Applies a file while nothing else happens: its plan shows the same effects, or the same faults. */
const applyAsPlanned = Effect.fnUntraced(function* (file: ShopFile, isPricesOnly = false) {
  const shop = yield* Shop
  const planned = yield* Effect.result(shop.plan(wantedOf(file, isPricesOnly)))
  const applied = yield* Effect.result(shop.apply(wantedOf(file, isPricesOnly)))
  assert.deepStrictEqual(Result.merge(applied), Result.merge(planned))
  return Result.isSuccess(applied)
})

/** A customer, the running orders, and the shop as its file says. */
export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const catalog = yield* Catalog
  const changes = yield* ProxyChanges
  const gateway = yield* GatewayProxies
  const orders = yield* Orders
  const placement = yield* OrderPlacement
  const provider = (yield* Providers).get("gateway") ?? assert.fail("no gateway")
  const caller = yield* OrderTesting.buyer(1_000_000_000_000n)
  const running = new Map<OrderId, Running>()
  let present: ShopFile | undefined
  /** The number of operations that succeeded. */
  const done: Record<string, number> = {}
  const count = (what: string) => void (done[what] = (done[what] ?? 0) + 1)

  const orderOf = (id: OrderId) => orders.get(caller.user_id, id)
  const proxyOf = (order: Order) => gateway.get(GatewayProxyId.make(order.provider_proxy_id ?? ""))

  /** The request of a customer; none when the catalog does not know the article. */
  const requestOf = Effect.fnUntraced(function* ({ article, option, quantity }: Wanted) {
    const [offer] = yield* sql<{ id: number; kind: string; options: ReadonlyArray<{ period_days: number }> }>`
      SELECT id, kind, options FROM offer WHERE provider = 'gateway' AND external_id = ${article}
    `
    if (offer === undefined) return undefined
    const choice =
      offer.kind === "mobile"
        ? { tarification_index: option }
        : { period_days: offer.options[option]?.period_days ?? 1 }
    return decodeRequest({ offer_id: offer.id, payment_method: "wallet", quantity, ...choice })
  })

  /**
   * Asks for the price and orders. While the shop changes, it is one of several files; the order then pays the shown price
   * or a lower one.
   */
  const order = Effect.fnUntraced(function* (wanted: Wanted, files: ReadonlyArray<ShopFile>) {
    const request = yield* requestOf(wanted)
    const shown = request && succeeded(yield* Effect.result(placement.quote(caller, request)))
    if (request === undefined || shown === undefined) return
    const placed = succeeded(yield* Effect.result(placement.place(caller, request, undefined)))
    for (const { id } of placed?.orders ?? []) {
      const sold = yield* orderOf(OrderId.make(id))
      assert.include(["provisioned", "refunded"], sold.status)
      const price = shown.terms.unit_price
      assert.isTrue(
        files.length === 1 ? sold.total === price : sold.total <= price,
        `shown ${price}, paid ${sold.total}`
      )
      count(sold.status)
      if (sold.status !== "provisioned") continue
      const proxy = yield* proxyOf(sold)
      assert.strictEqual(proxy.article, wanted.article)
      checkPool(proxy, files)
      running.set(sold.id, { order: sold, proxy, paid: sold.total })
    }
  })

  const buy = Effect.fnUntraced(function* (held: Running, kind: "Extend" | "AddTraffic") {
    const { order, paid } = held
    const isMobile = order.proxy_type === "mobile"
    const extension = isMobile ? { tarification_index: order.tarification_index } : { months: 1 }
    const traffic = { bandwidth_gb: 3 }
    const asked = kind === "Extend" ? changes.quoteExtension(order, extension) : changes.quoteTraffic(order, traffic)
    const quoted = succeeded(yield* Effect.result(asked))
    if (quoted === undefined) return
    const key = randomUUID()
    yield* kind === "Extend"
      ? changes.extend(caller, order, extension, key)
      : changes.addTraffic(caller, order, traffic, key)
    count(kind)
    const after = yield* orderOf(order.id)
    const proxy = yield* proxyOf(after)
    assert.deepStrictEqual([proxy.pool, proxy.exit_ip], [held.proxy.pool, held.proxy.exit_ip])
    assert.strictEqual(after.bandwidth_gb, quoted.terms.bandwidth_gb)
    running.set(order.id, { order: after, proxy, paid: paid + quoted.terms.total })
  })

  const operate = Effect.fnUntraced(function* (kind: "Extend" | "AddTraffic" | "Rotate" | "End", which: number) {
    const held = [...running.values()][which % Math.max(1, running.size)]
    if (held === undefined) return
    const { order, proxy } = held
    if (kind === "Extend" || kind === "AddTraffic") return yield* buy(held, kind)
    if (kind === "End") {
      yield* Effect.provide(
        ProxyEnd.use(({ end }) => end(order as LiveOrder, provider)),
        ProxyEnd.layer
      )
      running.delete(order.id)
    } else if (proxy.kind === "mobile") {
      yield* provider.rotate?.(order.provider_proxy_id ?? "") ?? Effect.void
      const rotated = yield* proxyOf(order)
      assert.strictEqual(rotated.pool, proxy.pool)
      if (rotated.exit_ip !== proxy.exit_ip) count("rotated")
      running.set(order.id, { ...held, proxy: rotated })
    }
  })

  const applyWhole = Effect.fnUntraced(function* (file: ShopFile, by: typeof apply) {
    const isApplied = yield* by(file)
    count(isApplied ? "applied" : "refused")
    if (isApplied) present = file
  })

  const act = Effect.fnUntraced(function* (action: Action) {
    switch (action._tag) {
      case "Apply":
        yield* applyWhole(action.shop, applyAsPlanned)
        return yield* catalog.refresh
      case "ApplyWhileOrdering": {
        const files = [...(present === undefined ? [] : [present]), action.shop]
        const ordering = action.wanted.map((wanted) => order(wanted, files))
        yield* Effect.all([applyWhole(action.shop, apply), ...ordering], { concurrency: "unbounded" })
        return yield* catalog.refresh
      }
      case "ApplyPrices":
        assert.isTrue(yield* applyAsPlanned(action.shop, true))
        return yield* catalog.refresh
      case "Order":
        return yield* order(action.wanted, present === undefined ? [] : [present])
      case "Sync":
        yield* CatalogSync.run
        return yield* catalog.refresh
      default:
        return yield* operate(action._tag, action.which)
    }
  })

  /** Checks that running orders, their proxies and their payments are as they were sold. */
  const checkRunning = Effect.gen(function* () {
    const booked = yield* sql<{ order_id: string; sum: bigint }>`
      SELECT order_id, sum(amount)::bigint AS sum FROM wallet_transaction WHERE order_id IS NOT NULL GROUP BY 1
    `
    const sums = new Map(booked.map(({ order_id, sum }) => [order_id, sum]))
    for (const { order, paid, proxy } of running.values()) {
      assert.deepStrictEqual(termsOf(yield* orderOf(order.id)), termsOf(order))
      assert.deepStrictEqual(yield* proxyOf(order), proxy)
      assert.strictEqual(sums.get(order.id), -paid)
    }
  })

  /** Checks that no address is sold twice, and that the catalog shows nothing that is sold out. */
  const checkStock = Effect.gen(function* () {
    const twice = yield* sql`
      SELECT exit_ip FROM gateway_proxy WHERE status = 'open' AND kind <> 'mobile' AND exit_ip IS NOT NULL
      GROUP BY exit_ip HAVING count(*) > 1
    `
    assert.lengthOf(twice, 0)
    const soldOut = yield* sql`
      SELECT o.external_id FROM offer o JOIN gateway_stock s ON s.article = o.external_id
      WHERE o.listed AND o.is_available AND s."left" = 0
    `
    assert.lengthOf(soldOut, 0)
  })

  const endAll = Effect.suspend(() => Effect.forEach([...running.keys()], () => operate("End", 0), { discard: true }))

  return {
    /** Performs an action. The process knows the present stock before, as the job `CatalogStock` sees to. */
    act: (action: Action) => Effect.andThen(gateway.countStock, act(action)),
    check: Effect.andThen(checkRunning, checkStock),
    endAll,
    done
  }
})
