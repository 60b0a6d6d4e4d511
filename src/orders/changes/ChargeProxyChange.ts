import { DateTime, Effect, Option } from "effect"
import { type Charge, type ChargeRefused, Wallets } from "../../wallet/Wallets.ts"
import * as Money from "../../platform/Money.ts"
import type { ActedBy } from "../ActedBy.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import type { OrderId } from "../Order.ts"
import { OfferChanged, PriceChanged } from "../OrderErrors.ts"
import { ProxyNotLive } from "../proxies/ProxyErrors.ts"
import * as AgreeProxyChange from "./AgreeProxyChange.ts"
import { paymentReference, ProxyChange, type ProxyChangeId } from "./ProxyChange.ts"
import { ProxyChanged } from "./ProxyChangeErrors.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import type { Wanted } from "./ProxyChangeTerms.ts"
import * as QuotedChange from "./QuotedChange.ts"

/** Time that the request has to make its change before `ProxyChangeRecovery` does. */
const lease = { seconds: 15 }

interface Purchase {
  readonly id: ProxyChangeId
  readonly by: ActedBy
  readonly spender: Charge["spender"]
}

/** The price and the proxy that the customer has seen. What is undefined may be any. */
export interface Expected {
  readonly expected_total?: number | undefined
  readonly expected_expires_at?: DateTime.Utc | undefined
  readonly expected_bandwidth_total_gb?: number | undefined
}

interface ChangePurchase extends Purchase {
  readonly order_id: OrderId
  readonly wanted: Wanted
  readonly expected?: Expected
}

export type ChargeError = AgreeProxyChange.TermsError | ChargeRefused | OfferChanged | PriceChanged | ProxyChanged

/** Debits the wallet for an agreed change and records it as pending, in the transaction that has locked the order. */
export const makeAgreed = Effect.gen(function* () {
  const repo = yield* ProxyChangesRepo
  const wallets = yield* Wallets

  return Effect.fnUntraced(function* (
    { order, terms: { description, ...terms } }: AgreeProxyChange.AgreedChange,
    { by, id, origin, spender }: Purchase & Pick<ProxyChange, "origin">
  ) {
    const now = yield* DateTime.now
    const order_id = order.id
    yield* wallets.charge({
      user_id: order.user_id,
      currency: terms.currency,
      spender,
      entries: [
        { order_id, reference: paymentReference(id), amount: terms.total, amount_usd: terms.total_usd, description }
      ]
    })
    const change = ProxyChange.insert.makeEffect({
      id,
      order_id,
      origin,
      ...by,
      ...terms,
      given_by: null,
      given_by_id: null,
      given_value_usd: null,
      given_reason: null,
      previous_expires_at: order.expires_at,
      previous_bandwidth_gb: order.bandwidth_gb,
      status: "pending",
      attempted_at: null,
      refusal: null,
      detail: null,
      // No request makes a renewal, so `ProxyChangeRecovery` makes it immediately.
      settle_at: origin === "auto_renew" ? now : DateTime.add(now, lease)
    })
    yield* repo.insert(yield* Effect.orDie(change))
  })
})

/** Refuses a proxy that is not the one that the customer has seen. */
const unchanged = Effect.fnUntraced(function* (
  { bandwidth_gb, expires_at }: LiveOrder,
  { expected_bandwidth_total_gb, expected_expires_at }: Expected
) {
  const bandwidth_total_gb = bandwidth_gb ?? 0
  const isSame =
    (expected_expires_at === undefined || DateTime.Equivalence(expected_expires_at, expires_at)) &&
    (expected_bandwidth_total_gb === undefined || expected_bandwidth_total_gb === bandwidth_total_gb)
  if (isSame) return
  return yield* new ProxyChanged({ details: { expires_at: DateTime.formatIso(expires_at), bandwidth_total_gb } })
})

/** Refuses a price that is not the one that the customer agreed to. */
const agreedTo = Effect.fnUntraced(function* (
  { terms: { currency, total } }: AgreeProxyChange.AgreedChange,
  { expected_total }: Expected
) {
  if (expected_total === undefined || expected_total === Money.toNumber(currency, total)) return
  return yield* new PriceChanged({ details: { total: Money.toDecimal(currency, total), currency } })
})

/**
 * Locks the order of a request, agrees on the change, and charges for it, in the caller's transaction. A quoted price counts
 * if it is lower than the present one.
 */
export const make = Effect.gen(function* () {
  const { agree } = yield* AgreeProxyChange.make
  const charge = yield* makeAgreed
  const repo = yield* ProxyChangesRepo

  return Effect.fnUntraced(function* ({ expected = {}, order_id, wanted, ...purchase }: ChangePurchase) {
    const locked = Option.getOrUndefined(yield* repo.lockOrder(order_id))
    if (locked === undefined) return yield* new ProxyNotLive()
    const now = yield* DateTime.now
    const agreed = yield* agree(locked, wanted, now)
    yield* unchanged(agreed.order, expected)
    const quoted = yield* repo.findQuote(QuotedChange.changeOf(agreed), now)
    const sold = Option.isNone(quoted) ? agreed : QuotedChange.atQuotedPrice(agreed, quoted.value)
    if (sold === undefined) return yield* new OfferChanged({ details: {} })
    yield* agreedTo(sold, expected)
    yield* charge(sold, { ...purchase, origin: "request" })
  })
})
