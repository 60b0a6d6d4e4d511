import { DateTime, Duration, Effect } from "effect"
import { Catalog } from "../../catalog/Catalog.ts"
import type { Offer } from "../../catalog/Offer.ts"
import { Flags } from "../../flags/Flags.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Providers } from "../../provider/Providers.ts"
import { ExtensionTooEarly, type NotSold, OfferWithdrawn } from "./ExtensionErrors.ts"
import { agree, type ExtensionTerms, sameTariff, type Wanted } from "./ExtensionTerms.ts"
import { isLiveAt, type LiveOrder } from "../LiveOrder.ts"
import { isMobileRotating, type Order } from "../Order.ts"
import { OperationUnsupported, ProviderDown, ProxyBusy, ProxyNotLive } from "../proxies/ProxyErrors.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"

/** With more of the cycle left than this, the guard finds a mobile extension too early (specification section 8). */
const guardedShare = 0.3

export type TermsError =
  | ProxyNotLive
  | ProxyBusy
  | ProviderDown
  | OperationUnsupported
  | OfferWithdrawn
  | NotSold
  | ExtensionTooEarly
  | RequestInvalid

/** A change of a proxy on today's terms. */
export interface AgreedChange {
  readonly order: LiveOrder
  readonly offer: Offer
  readonly terms: ExtensionTerms
}

const isTooEarly = ({ cycle_started_at, expires_at }: LiveOrder, now: DateTime.Utc) =>
  Duration.isGreaterThan(
    DateTime.distance(now, expires_at),
    Duration.times(DateTime.distance(cycle_started_at, expires_at), guardedShare)
  )

/** What can be known of a change without asking the provider: whether it is possible, what it costs and brings. */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const flags = yield* Flags
  const providers = yield* Providers
  const repo = yield* ProxyChangesRepo

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

  /** What the order has had for its running cycle, as the offer sells it today. */
  const same = Effect.fnUntraced(function* (offer: Offer, order: LiveOrder) {
    if (!isMobileRotating(order)) return { kind: "append", months: 1 } satisfies Wanted
    const tariff = sameTariff(offer, order, yield* repo.addedGb(order.id, order.cycle_started_at))
    return tariff ?? (yield* new OfferWithdrawn({ details: {} }))
  })

  /** `renewal` is what auto-renew buys. */
  return Effect.fnUntraced(function* (
    order: Order,
    asked: Wanted | "renewal",
    now: DateTime.Utc
  ): Effect.fn.Return<AgreedChange, TermsError> {
    if (!isLiveAt(order, now)) return yield* new ProxyNotLive()
    if (yield* repo.hasPending(order.id)) return yield* new ProxyBusy({ details: {} })
    const offer = yield* Effect.mapError(catalog.offer(order.offer_id), () => new OfferWithdrawn({ details: {} }))
    const wanted = asked === "renewal" ? yield* same(offer, order) : asked
    yield* able(order, wanted)
    if (asked !== "renewal" && wanted.kind === "restart") yield* guard(order, now)
    return { order, offer, terms: yield* agree(offer, order, wanted, now) }
  })
})
