import { DateTime, Effect, Option } from "effect"
import { type Charge, type ChargeRefused, Wallets } from "../../wallet/Wallets.ts"
import type { OrderId } from "../Order.ts"
import { ProxyNotLive } from "../proxies/ProxyErrors.ts"
import * as AgreeProxyChange from "./AgreeProxyChange.ts"
import { paymentReference, ProxyChange, type ProxyChangeId } from "./ProxyChange.ts"
import { ProxyChangesRepo } from "./ProxyChangesRepo.ts"
import type { Wanted } from "./ProxyChangeTerms.ts"

/** Time that the request has to make its change before `ProxyChangeRecovery` does. */
const lease = { seconds: 15 }

export interface ProxyChangePurchase {
  readonly id: ProxyChangeId
  readonly order_id: OrderId
  /** `renewal` stands for the purchase of auto-renew; `ProxyChangeRecovery` makes it immediately. */
  readonly wanted: Wanted | "renewal"
  readonly api_key: Charge["api_key"]
}

export type ChargeError = AgreeProxyChange.TermsError | ChargeRefused

/** Debits the wallet and records the pending change, in the caller's transaction. */
export const make = Effect.gen(function* () {
  const agree = yield* AgreeProxyChange.make
  const repo = yield* ProxyChangesRepo
  const wallets = yield* Wallets

  return Effect.fnUntraced(function* ({ api_key, id, order_id, wanted }: ProxyChangePurchase) {
    const now = yield* DateTime.now
    const locked = Option.getOrUndefined(yield* repo.lockOrder(order_id))
    if (locked === undefined) return yield* new ProxyNotLive()
    const {
      order,
      terms: { description, ...terms }
    } = yield* agree(locked, wanted, now)
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
