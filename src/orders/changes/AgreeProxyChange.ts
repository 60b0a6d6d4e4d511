import { DateTime, Duration, Effect } from "effect"
import { Catalog } from "../../catalog/Catalog.ts"
import type { Offer } from "../../catalog/Offer.ts"
import { Flags } from "../../flags/Flags.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Providers } from "../../provider/Providers.ts"
import { isLiveAt, type LiveOrder } from "../LiveOrder.ts"
import { isMobileRotating, type Order } from "../Order.ts"
import { OperationUnsupported, ProviderDown, ProxyBusy, ProxyNotLive } from "../proxies/ProxyErrors.ts"
import { ExtensionTooEarly, type NotSold, OfferWithdrawn } from "./ProxyChangeErrors.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import { type ProxyChangeTerms, sameTariff, termsOf, type Wanted } from "./ProxyChangeTerms.ts"

/** Share of the cycle; while more than this remains, the guard refuses the extension of a mobile rotating proxy. */
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

/** A proxy change, with its price and its result at this moment. */
export interface AgreedChange {
  readonly order: LiveOrder
  readonly offer: Offer
  readonly terms: ProxyChangeTerms
}

/** The changes of orders, read for many orders at once. */
interface Known {
  readonly hasPending: (order: Order) => Effect.Effect<boolean>
  readonly addedGb: (order: LiveOrder) => Effect.Effect<number>
}

const isTooEarly = ({ cycle_started_at, expires_at }: LiveOrder, now: DateTime.Utc) =>
  Duration.isGreaterThan(
    DateTime.distance(now, expires_at),
    Duration.times(DateTime.distance(cycle_started_at, expires_at), guardedShare)
  )

/**
 * Computes the price and the result of a proxy change, or refuses the change. Does not ask the provider. `renewal` stands for
 * the purchase of auto-renew.
 */
export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const flags = yield* Flags
  const providers = yield* Providers
  const repo = yield* ProxyChangesRepo

  const checkAbility = Effect.fnUntraced(function* (order: LiveOrder, wanted: Wanted) {
    const provider = providers.get(order.provider)
    if (provider === undefined) return yield* new ProviderDown()
    const method = wanted.kind === "traffic" ? provider.addTraffic : provider.extend
    if (method === undefined) return yield* new OperationUnsupported()
  })

  const guard = Effect.fnUntraced(function* (order: LiveOrder, now: DateTime.Utc) {
    const isOn = yield* flags.enabled("orders.mobile.extend.too_early_guard", order.user_id)
    if (isOn && isTooEarly(order, now)) return yield* new ExtensionTooEarly()
  })

  /** Reads them for one order when they are asked for. */
  const ofOne: Known = {
    hasPending: ({ id }) => repo.hasPending(id),
    addedGb: ({ cycle_started_at, id }) => repo.addedGb(id, cycle_started_at)
  }

  /** The renewal: one month for a static proxy, the same tariff for a mobile rotating proxy. */
  const renewal = Effect.fnUntraced(function* (offer: Offer, order: LiveOrder, { addedGb }: Known) {
    if (!isMobileRotating(order)) return { kind: "append", months: 1 } satisfies Wanted
    const tariff = sameTariff(offer, order, yield* addedGb(order))
    return tariff ?? (yield* new OfferWithdrawn({ details: {} }))
  })

  const agree = Effect.fnUntraced(function* (
    order: Order,
    asked: Wanted | "renewal",
    now: DateTime.Utc,
    known: Known = ofOne
  ): Effect.fn.Return<AgreedChange, TermsError> {
    if (!isLiveAt(order, now)) return yield* new ProxyNotLive()
    if (yield* known.hasPending(order)) return yield* new ProxyBusy({ details: {} })
    const offer = yield* Effect.mapError(catalog.renewable(order.offer_id), () => new OfferWithdrawn({ details: {} }))
    const wanted = asked === "renewal" ? yield* renewal(offer, order, known) : asked
    yield* checkAbility(order, wanted)
    if (asked !== "renewal" && wanted.kind === "restart") yield* guard(order, now)
    return { order, offer, terms: yield* termsOf(offer, order, wanted, now) }
  })

  /** Agrees on the same change of several orders. The number of statements does not depend on that of the orders. */
  const agreeAll = Effect.fnUntraced(function* (
    orders: ReadonlyArray<Order>,
    asked: Wanted | "renewal",
    now: DateTime.Utc
  ) {
    const { added, pending } = yield* repo.knownOf(orders.map(({ id }) => id))
    const known: Known = {
      hasPending: ({ id }) => Effect.succeed(pending.has(id)),
      addedGb: ({ id }) => Effect.succeed(added.get(id) ?? 0)
    }
    return yield* Effect.forEach(orders, (order) => Effect.result(agree(order, asked, now, known)))
  })

  return { agree, agreeAll }
})
