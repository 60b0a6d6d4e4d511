import { NodeHttpClient } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as CatalogSync from "../../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../../src/catalog/CatalogWriter.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { Orders } from "../../../src/orders/Orders.ts"
import { Provisioning } from "../../../src/orders/provisioning/Provisioning.ts"
import * as ProvisioningRecovery from "../../../src/orders/provisioning/ProvisioningRecovery.ts"
import * as IpRoyalProvider from "../../../src/provider/adapters/IpRoyalProvider.ts"
import * as ProxySellerProvider from "../../../src/provider/adapters/ProxySellerProvider.ts"
import { Providers } from "../../../src/provider/Providers.ts"
import { AskedPrices } from "../../../src/provider/vendors/AskedPrices.ts"
import { VendorPurchases } from "../../../src/provider/vendors/VendorPurchases.ts"
import * as Testing from "../../support/OrderTesting.ts"
import * as IpRoyalServer from "../adapters/IpRoyalServer.ts"
import * as ProxySellerServer from "../adapters/ProxySellerServer.ts"

const needs = Layer.mergeAll(AskedPrices.layer, VendorPurchases.layer, NodeHttpClient.layerNodeHttp)

/** Synchronizes the vendor's clock with the test clock. */
let now = 0
const pass = (time: Duration.Input) =>
  Effect.andThen(
    TestClock.adjust(time),
    Effect.map(Clock.currentTimeMillis, (millis) => void (now = millis))
  )

const soon = { every: Duration.zero, times: 0 }
const pace = { callsPerMinute: 1000, writeGap: Duration.zero, moneyGap: Duration.zero, patience: Duration.seconds(5) }

const proxySeller = Effect.gen(function* () {
  const vendor = yield* ProxySellerServer.start(() => now)
  const { api_url } = vendor
  const settings = { api_url, api_key: Redacted.make("k3y/with slash"), purpose: "other", markup_percent: 30 }
  return { vendor, provider: yield* ProxySellerProvider.makeWith({ ...settings, pace, waiting: soon }) }
}).pipe(Effect.provide(needs))

const ipRoyal = Effect.gen(function* () {
  const vendor = yield* IpRoyalServer.start(() => now)
  vendor.control.hidden = 0
  const settings = { api_url: vendor.api_url, api_token: Redacted.make("t0ken"), markup_percent: 30 }
  return { vendor, provider: yield* IpRoyalProvider.makeWith({ ...settings, waiting: soon }) }
}).pipe(Effect.provide(needs))

const balance = 10_000_000n

layer(Testing.layer)("An order of a vendor's offer", (it) => {
  for (const [name, startVendor, price] of [
    ["Proxy-Seller", proxySeller, 3_900_000n],
    ["IPRoyal", ipRoyal, 3_510_000n]
  ] as const) {
    const ordered = Effect.fnUntraced(function* (
      prepare: (vendor: {
        trouble: (...next: ReadonlyArray<"reset_after" | "reset_before">) => void
        control: { hidden: number }
      }) => void
    ) {
      yield* pass("1 second")
      const { provider, vendor } = yield* startVendor
      const providers = Providers.layerOf(provider)
      yield* Effect.provide(CatalogSync.run, Layer.merge(providers, CatalogWriter.layer))
      const here = Layer.fresh(OrderPlacement.layer).pipe(
        Layer.provideMerge(Layer.fresh(Provisioning.layer)),
        Layer.provide(providers)
      )
      const caller = yield* Testing.buyer(balance)
      prepare(vendor)
      const request = yield* Testing.request()
      const { orders } = yield* Effect.provide(
        OrderPlacement.use((placement) => placement.place(caller, request, undefined)),
        here
      )
      const id = OrderId.make(orders[0]?.id ?? "")
      return {
        vendor,
        order: Orders.use((orders) => orders.get(caller.user_id, id)),
        spent: Effect.map(Testing.balanceOf(caller.user_id), (left) => balance - left),
        sweepAfter: (time: Duration.Input) => Effect.andThen(pass(time), Effect.provide(ProvisioningRecovery.run, here))
      }
    })

    it.effect(`leads to one order, one proxy and one charge after a time-out at ${name}`, () =>
      Effect.gen(function* () {
        const { order, spent, sweepAfter, vendor } = yield* ordered((vendor) => vendor.trouble("reset_after"))
        assert.strictEqual((yield* order).status, "paid")
        yield* sweepAfter("30 seconds")
        assert.deepInclude(yield* order, { status: "provisioned", host: "192.0.2.1", username: "user1" })
        yield* sweepAfter("20 minutes")
        assert.lengthOf(vendor.orders, 1)
        assert.strictEqual(yield* spent, price)
      })
    )

    it.effect(`waits for a late delivery of ${name}`, () =>
      Effect.gen(function* () {
        const { order, spent, sweepAfter, vendor } = yield* ordered((vendor) => (vendor.control.hidden = 1000))
        yield* sweepAfter("30 seconds")
        yield* sweepAfter("15 minutes")
        assert.strictEqual((yield* order).status, "paid")
        vendor.orders[0]!.hidden = 0
        yield* sweepAfter("1 minute")
        assert.strictEqual((yield* order).status, "provisioned")
        assert.lengthOf(vendor.orders, 1)
        assert.strictEqual(yield* spent, price)
      })
    )

    it.effect(`is bought at most twice and refunded when no look-up at ${name} recognises it`, () =>
      Effect.gen(function* () {
        const { order, spent, sweepAfter, vendor } = yield* ordered((vendor) =>
          vendor.trouble(...Array.from({ length: 30 }, () => "reset_after" as const))
        )
        for (let round = 0; round < 40; round++) {
          for (const one of vendor.orders) Object.assign(one, { plan_name: "another", country: "FRA" })
          yield* sweepAfter("3 minutes")
        }
        assert.strictEqual((yield* order).status, "refunded")
        assert.lengthOf(vendor.orders, 2)
        assert.strictEqual(yield* spent, 0n)
      })
    )

    it.effect(`is bought once more when the purchase certainly never reached ${name}`, () =>
      Effect.gen(function* () {
        const { order, spent, sweepAfter, vendor } = yield* ordered((vendor) => vendor.trouble("reset_before"))
        yield* sweepAfter("5 minutes")
        assert.lengthOf(vendor.orders, 0)
        yield* sweepAfter("6 minutes")
        yield* sweepAfter("1 minute")
        assert.strictEqual((yield* order).status, "provisioned")
        assert.lengthOf(vendor.orders, 1)
        assert.strictEqual(yield* spent, price)
      })
    )
  }
})
