import { DateTime, Duration, Effect, Option } from "effect"
import { Catalog } from "../catalog/Catalog.ts"
import type { Offer } from "../catalog/Offer.ts"
import { Flags } from "../flags/Flags.ts"
import type { RequestInvalid } from "../platform/RequestInvalid.ts"
import { Providers } from "../provider/Providers.ts"
import { type Charge, Wallets } from "../wallet/Wallets.ts"
import type { DailySpendLimitReached, InsufficientBalance } from "../wallet/WalletErrors.ts"
import { ExtensionTooEarly, type NotSold, OfferWithdrawn } from "./ExtensionErrors.ts"
import { agree, sameTariff, type Wanted } from "./ExtensionTerms.ts"
import { isLiveAt, type LiveOrder } from "./LiveOrder.ts"
import { isMobileRotating, type OrderId } from "./Order.ts"
import { OperationUnsupported, ProviderDown, ProxyBusy, ProxyNotLive } from "./OrderErrors.ts"
import { paymentReference, ProxyChange, type ProxyChangeId } from "./ProxyChange.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

/** How long a request has its change for itself before the settlement job takes it up. */
const lease = { seconds: 15 }

/** With more of the cycle left than this, the guard finds a mobile extension too early (specification section 8). */
const guardedShare = 0.3

/** What is bought for which proxy. `renewal`: what auto-renew buys, taken up by the settlement job at once. */
export interface ChangePurchase {
  readonly id: ProxyChangeId
  readonly order_id: OrderId
  readonly wanted: Wanted | "renewal"
  readonly api_key: Charge["api_key"]
}

export type ChargeError =
  | ProxyNotLive
  | ProxyBusy
  | ProviderDown
  | OperationUnsupported
  | OfferWithdrawn
  | NotSold
  | ExtensionTooEarly
  | RequestInvalid
  | InsufficientBalance
  | DailySpendLimitReached

const isTooEarly = ({ cycle_started_at, expires_at }: LiveOrder, now: DateTime.Utc) =>
  Duration.isGreaterThan(
    DateTime.distance(now, expires_at),
    Duration.times(DateTime.distance(cycle_started_at, expires_at), guardedShare)
  )

/** Debits the wallet and puts the pending change on record: the caller's transaction makes both happen or none. */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const flags = yield* Flags
  const providers = yield* Providers
  const repo = yield* ProxyChangesRepo
  const wallets = yield* Wallets

  /** What can be known without asking the provider is said before anything is charged. */
  const able = Effect.fnUntraced(function* (order: LiveOrder, wanted: Wanted) {
    const provider = providers.get(order.provider)
    if (provider === undefined) return yield* new ProviderDown()
    const method = wanted.kind === "traffic" ? provider.addTraffic : provider.extend
    if (method === undefined) return yield* new OperationUnsupported()
  })

  const guard = Effect.fnUntraced(function* (order: LiveOrder, now: DateTime.Utc) {
    const isOn = yield* flags.enabled("orders.mobile.extend.too_early_guard", order.user_id)
    if (isOn && isTooEarly(order, now)) return yield* new ExtensionTooEarly()
  })

  const live = Effect.fnUntraced(function* (id: OrderId, now: DateTime.Utc) {
    const order = Option.getOrUndefined(yield* repo.lockOrder(id))
    if (order === undefined || !isLiveAt(order, now)) return yield* new ProxyNotLive()
    if (yield* repo.hasPending(id)) return yield* new ProxyBusy({ details: {} })
    return order
  })

  /** What the order has had for its running cycle, as the offer sells it today. */
  const same = Effect.fnUntraced(function* (offer: Offer, order: LiveOrder) {
    if (!isMobileRotating(order)) return { kind: "append", months: 1 } satisfies Wanted
    const tariff = sameTariff(offer, order, yield* repo.addedGb(order.id, order.cycle_started_at))
    return tariff ?? (yield* new OfferWithdrawn({ details: {} }))
  })

  return Effect.fnUntraced(function* ({ api_key, id, order_id, wanted: asked }: ChangePurchase) {
    const now = yield* DateTime.now
    const order = yield* live(order_id, now)
    const offer = yield* Effect.mapError(catalog.offer(order.offer_id), () => new OfferWithdrawn({ details: {} }))
    const wanted = asked === "renewal" ? yield* same(offer, order) : asked
    yield* able(order, wanted)
    if (asked !== "renewal" && wanted.kind === "restart") yield* guard(order, now)
    const { description, ...terms } = yield* agree(offer, order, wanted, now)
    yield* wallets.charge({
      user_id: order.user_id,
      currency: terms.currency,
      api_key,
      entries: [
        { order_id, reference: paymentReference(id), amount: terms.total, amount_usd: terms.total_usd, description }
      ]
    })
    const change = ProxyChange.insert.makeEffect({
      id,
      order_id,
      origin: asked === "renewal" ? "auto_renew" : "request",
      ...terms,
      previous_expires_at: order.expires_at,
      previous_bandwidth_gb: order.bandwidth_gb,
      status: "pending",
      attempted_at: null,
      refusal: null,
      detail: null,
      settle_at: asked === "renewal" ? now : DateTime.add(now, lease)
    })
    yield* repo.insert(yield* Effect.orDie(change))
  })
})
