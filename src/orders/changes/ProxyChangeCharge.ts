import { DateTime, Effect, Option } from "effect"
import { type Charge, type ChargeRefused, Wallets } from "../../wallet/Wallets.ts"
import type { Wanted } from "./ExtensionTerms.ts"
import type { OrderId } from "../Order.ts"
import { ProxyNotLive } from "../proxies/ProxyErrors.ts"
import { paymentReference, ProxyChange, type ProxyChangeId } from "./ProxyChange.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import * as ProxyChangeTerms from "./ProxyChangeTerms.ts"

/** How long a request has its change for itself before the settlement job takes it up. */
const lease = { seconds: 15 }

/** What is bought for which proxy. `renewal`: what auto-renew buys, taken up by the settlement job at once. */
export interface ChangePurchase {
  readonly id: ProxyChangeId
  readonly order_id: OrderId
  readonly wanted: Wanted | "renewal"
  readonly api_key: Charge["api_key"]
}

export type ChargeError = ProxyChangeTerms.TermsError | ChargeRefused

/** Debits the wallet and puts the pending change on record: the caller's transaction makes both happen or none. */
export const make = Effect.gen(function* () {
  const agreed = yield* ProxyChangeTerms.make
  const repo = yield* ProxyChangesRepo
  const wallets = yield* Wallets

  return Effect.fnUntraced(function* ({ api_key, id, order_id, wanted }: ChangePurchase) {
    const now = yield* DateTime.now
    const locked = Option.getOrUndefined(yield* repo.lockOrder(order_id))
    if (locked === undefined) return yield* new ProxyNotLive()
    const {
      order,
      terms: { description, ...terms }
    } = yield* agreed(locked, wanted, now)
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
      origin: wanted === "renewal" ? "auto_renew" : "request",
      ...terms,
      previous_expires_at: order.expires_at,
      previous_bandwidth_gb: order.bandwidth_gb,
      status: "pending",
      attempted_at: null,
      refusal: null,
      detail: null,
      settle_at: wanted === "renewal" ? now : DateTime.add(now, lease)
    })
    yield* repo.insert(yield* Effect.orDie(change))
  })
})
