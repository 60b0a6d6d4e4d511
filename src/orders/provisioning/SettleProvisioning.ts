import { type Array as Arr, DateTime, Effect } from "effect"
import { money, say } from "../../brand/LocalText.ts"
import { Idempotency } from "../../idempotency/Idempotency.ts"
import { Notifications } from "../../notifications/Notifications.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import * as RunInBatches from "../../platform/postgres/RunInBatches.ts"
import type { ProviderProxy, ProxyProvider } from "../../provider/ProxyProvider.ts"
import { PromoCodes } from "../../wallet/promo-codes/PromoCodes.ts"
import { descriptions } from "../../wallet/EntryDescription.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import type * as BilledCall from "../../provider/BilledCall.ts"
import type { PlacedOrder } from "../Order.ts"
import { expiringFrom } from "../OrderStatus.ts"
import { deliveredOrder, type Delivery, type Undelivered } from "./Delivery.ts"
import { ProvisioningRepo } from "./ProvisioningRepo.ts"

const releaseTimeout = "10 seconds"

const release = (provider: ProxyProvider, proxy: ProviderProxy) =>
  (provider.release?.(proxy.provider_proxy_id) ?? Effect.die(new Error("the provider cannot end a proxy"))).pipe(
    Effect.timeout(releaseTimeout),
    Effect.catchCause((cause) =>
      Effect.logError(`Proxy ${proxy.provider_proxy_id} of ${provider.name} has no owner; release it by hand`, cause)
    )
  )

const isOver = ({ expires_at }: ProviderProxy, now: DateTime.Utc) => DateTime.isLessThanOrEqualTo(expires_at, now)

const sharedProxy = (order: PlacedOrder, { provider_proxy_id }: ProviderProxy, holder: string) =>
  Effect.logError("A provider answered one proxy for two orders", {
    provider: order.provider,
    provider_proxy_id,
    order_id: order.id,
    held_by: holder
  })

/** Closes the attempt as `outcome` and gives the money back, in one transaction. */
const makeRefund = Effect.gen(function* () {
  const repo = yield* ProvisioningRepo
  const notifications = yield* Notifications
  const promoCodes = yield* PromoCodes
  const wallets = yield* Wallets
  const atomically = yield* Atomically

  return Effect.fnUntraced(function* (order: PlacedOrder, outcome: "refused" | "abandoned", reason: string) {
    const now = yield* DateTime.now
    yield* Effect.logWarning("Cannot provision an order; refunding it", {
      order_id: order.id,
      provider: order.provider,
      reason
    })
    if (!(yield* repo.failed(order, outcome, reason, now))) return
    // A purchase also locks the promo code before the wallet. The opposite order would cause a deadlock.
    if (order.promo_code_id !== null) yield* promoCodes.release([order.id])
    yield* wallets.refund({
      order_id: order.id,
      payment_reference: order.id,
      reference: order.id,
      description: descriptions.not_provisioned
    })
    yield* repo.refunded(order.id, now)
    const message = say("notice.provisioning_failed", { price: money(order.currency, order.total) })
    yield* notifications.add([{ user_id: order.user_id, kind: "provisioning_failed", order_id: order.id, message }])
  }, atomically)
})

/**
 * Concurrent deliveries share a statement, because its cost depends little on their number. An order that another
 * transaction has locked is delivered alone. Returns undefined when the order could not take the proxy.
 */
const makeDeliver = Effect.gen(function* () {
  const repo = yield* ProvisioningRepo
  const { keeping } = yield* Idempotency

  const deliverTogether = yield* RunInBatches.make({
    run: (deliveries: Arr.NonEmptyReadonlyArray<Delivery>) => repo.deliver(deliveries, keeping, "skip"),
    runAgain: () => Effect.undefined,
    itemsAtMost: 32,
    concurrency: 2
  })

  return Effect.fnUntraced(function* (delivery: Delivery) {
    const delivered = yield* deliverTogether(delivery)
    return delivered ?? (yield* repo.deliver([delivery], keeping, "wait"))[0]
  })
})

/** Records the steps that end a round of provisioning, with the money that goes with them. */
export const make = Effect.gen(function* () {
  const repo = yield* ProvisioningRepo
  const deliver = yield* makeDeliver
  const refund = yield* makeRefund

  /** Releases a proxy that comes too late, unless it is the proxy of another order. */
  const tooLate = Effect.fnUntraced(function* (
    provider: ProxyProvider,
    order: PlacedOrder,
    proxy: ProviderProxy,
    now: DateTime.Utc
  ) {
    const holder = yield* repo.holderOf(provider.name, proxy.provider_proxy_id)
    if (holder === order.id) return
    if (holder !== undefined) {
      yield* sharedProxy(order, proxy, holder)
      return yield* refund(order, "refused", "the provider answered the proxy of another order")
    }
    yield* release(provider, proxy)
    if (isOver(proxy, now)) yield* refund(order, "refused", "the proxy had expired before the order could take it")
  })

  /** Hands the proxy out. Undefined when the order could not take the proxy. */
  const apply = Effect.fnUntraced(function* (
    provider: ProxyProvider,
    { order, waiting }: Undelivered,
    proxy: ProviderProxy
  ) {
    const now = yield* DateTime.now
    const expiring_at = DateTime.max(now, expiringFrom(now, proxy.expires_at))
    const cycle = { cycle_started_at: now, expiring_at, expires_at: proxy.expires_at }
    const delivered = isOver(proxy, now)
      ? undefined
      : yield* deliver({ order: deliveredOrder(order, proxy, cycle), waiting, now })
    if (delivered === undefined) yield* tooLate(provider, order, proxy, now)
    return delivered
  })

  return {
    apply,

    /** The provider did nothing and never will. */
    refuse: (order: PlacedOrder, reason: string) => refund(order, "refused", reason),

    /** The outcome stays unknown: `OrphanRelease` releases a proxy that turns up later. */
    abandon: (order: PlacedOrder, reason: string) => refund(order, "abandoned", reason),

    /** The provider certainly did nothing: the attempt ends. */
    askAgain: Effect.fnUntraced(function* (order: PlacedOrder, { at, reason }: BilledCall.Again) {
      yield* repo.notExecuted(order, reason, yield* DateTime.now, at)
    }),

    /** The provider may have delivered: the attempt stays open. */
    lookUpAgain: Effect.fnUntraced(function* (order: PlacedOrder, { at, reason }: BilledCall.Again) {
      const { id: order_id, provider } = order
      yield* Effect.logWarning("The outcome of a provisioning is unknown; looking it up", {
        order_id,
        provider,
        reason
      })
      yield* repo.postpone(order, at)
    })
  }
})
