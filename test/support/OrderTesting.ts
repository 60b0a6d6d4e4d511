import { Context, Effect, Layer, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { Caller } from "../../src/accounts/Caller.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { Catalog } from "../../src/catalog/Catalog.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { Flags } from "../../src/flags/Flags.ts"
import { Idempotency } from "../../src/idempotency/Idempotency.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { ExpiryRepo } from "../../src/orders/proxies/ExpiryRepo.ts"
import { LiveProxies } from "../../src/orders/proxies/LiveProxies.ts"
import { MobileProxies } from "../../src/orders/proxies/MobileProxies.ts"
import { OrderCancellation } from "../../src/orders/checkout/OrderCancellation.ts"
import * as OrderPayments from "../../src/orders/checkout/OrderPayments.ts"
import { OrderPlacement } from "../../src/orders/checkout/OrderPlacement.ts"
import { OrderRequest } from "../../src/orders/checkout/OrderRequest.ts"
import { Orders } from "../../src/orders/Orders.ts"
import { OrdersRepo } from "../../src/orders/OrdersRepo.ts"
import { Provisioning } from "../../src/orders/provisioning/Provisioning.ts"
import { ProvisioningRepo } from "../../src/orders/provisioning/ProvisioningRepo.ts"
import { ProxiesRepo } from "../../src/orders/proxies/ProxiesRepo.ts"
import { ProxyHold } from "../../src/orders/proxies/ProxyHold.ts"
import { ProxyHistory } from "../../src/orders/proxies/ProxyHistory.ts"
import { ProxyManagement } from "../../src/orders/proxies/ProxyManagement.ts"
import { ProxySync } from "../../src/orders/proxies/ProxySync.ts"
import { TrafficUsage } from "../../src/orders/traffic/TrafficUsage.ts"
import type { Currency } from "../../src/platform/Money.ts"
import { Payments } from "../../src/wallet/payments/Payments.ts"
import { PromoCodes } from "../../src/wallet/promo-codes/PromoCodes.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { datacenter, mobile, residential } from "./MemoryOffers.ts"
import { MemoryProvider } from "./MemoryProvider.ts"
import * as Fixtures from "./Fixtures.ts"
import { MemoryPaymentGateways } from "./MemoryPaymentGateways.ts"
import * as TestDatabase from "./TestDatabase.ts"
import * as TestCrypto from "./TestCrypto.ts"

const synced = Layer.effectDiscard(CatalogSync.run).pipe(Layer.provide(CatalogWriter.layer))

/** The order domain over its own database and a provider in memory, with the provider's offers in the catalog. */
export const layer = Layer.mergeAll(
  ExpiryRepo.layer,
  OrderCancellation.layer,
  OrderPlacement.layer,
  Orders.layer,
  OrdersRepo.layer,
  Provisioning.layer,
  ProvisioningRepo.layer,
  TrafficUsage.layer,
  LiveProxies.layer,
  MobileProxies.layer,
  ProxiesRepo.layer,
  ProxyHold.layer,
  ProxyHistory.layer,
  ProxyManagement.layer,
  ProxySync.layer,
  synced
).pipe(
  Layer.provideMerge([Idempotency.layer, Payments.layer]),
  Layer.provideMerge(OrderPayments.layer),
  Layer.provideMerge([Catalog.layer, Notifications.layer, PromoCodes.layer, Wallets.layer]),
  Layer.provideMerge(Flags.layer),
  Layer.provideMerge([
    TestDatabase.layer,
    MemoryPaymentGateways.layer,
    MemoryProvider.layerOf({ offers: [datacenter, residential, { ...mobile, is_available: true }] }),
    TestCrypto.layer
  ])
)

const placementOf = <E, R>(placement: Layer.Layer<OrderPlacement, E, R>) =>
  Effect.map(Layer.build(Layer.fresh(placement)), (services) => Context.get(services, OrderPlacement))

const separate = OrderPlacement.layer.pipe(Layer.provide(Idempotency.layer))

/** The sale of orders in another process on the same database. */
export const otherPlacement = placementOf(separate)

/** The same with a catalog of its own. */
export const placementWith = <E, R>(catalog: Layer.Layer<Catalog, E, R>) =>
  placementOf(Layer.provide(separate, catalog))

/** A user with some dollars, signed in. */
export const buyer = Effect.fnUntraced(function* (balance: bigint) {
  const user_id = yield* Fixtures.newUser
  if (balance > 0n) yield* Fixtures.fund(user_id, balance)
  return session(user_id)
})

export const session = (user_id: UserId): Caller["Service"] => ({
  user_id,
  credential: { _tag: "session", session_id: randomUUID() }
})

export const balanceOf = (user: UserId, currency: Currency = "USD") =>
  Effect.map(
    Wallets.use((wallets) => wallets.balance(user, currency)),
    ({ balance }) => balance
  )

/** The offer with this name. */
export const offerId = Effect.fnUntraced(function* (name: string) {
  const { body } = yield* Catalog.use((catalog) => catalog.answer({ currency: "USD", is_available: false }))
  const { kinds } = JSON.parse(new TextDecoder().decode(body))
  return kinds.flatMap((kind: any) => kind.offers).find((offer: any) => offer.name.startsWith(name)).id as number
})

/** The body of an order for one month of the datacenter offer (1.50 USD). */
export const request = Effect.fnUntraced(function* (fields: object = {}) {
  const offer_id = yield* offerId("Datacenter")
  return Schema.decodeUnknownSync(OrderRequest)({ offer_id, payment_method: "wallet", ...fields })
})
