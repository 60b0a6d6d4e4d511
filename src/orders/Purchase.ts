import { type Array as Arr, DateTime, Effect } from "effect"
import type { Caller } from "../accounts/Caller.ts"
import type { Offer } from "../catalog/Offer.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { Order, type OrderId } from "./Order.ts"
import type { OrderRequest } from "./OrderRequest.ts"
import { OrdersRepo } from "./OrdersRepo.ts"
import type { OrderTerms } from "./OrderTerms.ts"

/** How long the placing process has a paid order for itself before the sweep takes it up. */
const lease = { seconds: 15 }

const unprovisioned = {
  provider_proxy_id: null,
  host: null,
  port: null,
  username: null,
  password: null,
  cycle_started_at: null,
  expiring_at: null,
  expires_at: null
}

interface Bought {
  readonly caller: Caller["Service"]
  readonly request: OrderRequest
  readonly offer: Offer
  readonly terms: OrderTerms
}

const paidOrder = (id: OrderId, { caller, offer, request, terms }: Bought, provision_at: DateTime.Utc) =>
  Order.insert.makeEffect({
    id,
    user_id: caller.user_id,
    api_key_id: caller.credential._tag === "api_key" ? caller.credential.api_key_id : null,
    offer_id: offer.id,
    provider: offer.provider,
    external_id: offer.external_id,
    status: "paid",
    proxy_status: "pending",
    proxy_type: offer.kind,
    mode: offer.mode,
    ip_version: offer.ip_version,
    protocol: request.protocol,
    country: terms.country,
    city: terms.city,
    period_days: terms.option.period_days,
    period_months: terms.option.period_months,
    tarification_index: terms.tarification_index,
    bandwidth_gb: terms.bandwidth_gb,
    currency: terms.currency,
    total: terms.unit_price,
    total_usd: terms.unit_price_usd,
    payment_method: request.payment_method,
    payment_intent_id: null,
    payment_url: null,
    auto_renew: request.auto_renew,
    notes: request.notes ?? null,
    ...unprovisioned,
    provision_at
  })

const payingKey = ({ credential }: Caller["Service"]) =>
  credential._tag === "api_key"
    ? { id: credential.api_key_id, daily_spend_limit_usd: credential.daily_spend_limit_usd }
    : null

/** Debits the wallet and inserts the paid orders: the caller's transaction makes both happen or none. */
export const make = Effect.gen(function* () {
  const orders = yield* OrdersRepo
  const wallets = yield* Wallets

  return Effect.fnUntraced(function* (ids: Arr.NonEmptyReadonlyArray<OrderId>, bought: Bought) {
    const { caller, offer, terms } = bought
    yield* wallets.charge({
      user_id: caller.user_id,
      currency: terms.currency,
      api_key: payingKey(caller),
      entries: ids.map((id) => ({
        order_id: id,
        reference: id,
        amount: terms.unit_price,
        amount_usd: terms.unit_price_usd,
        description: `${offer.name}, ${terms.option.period_name}`
      }))
    })
    const provisionAt = DateTime.add(yield* DateTime.now, lease)
    const rows = yield* Effect.forEach(ids, (id) => Effect.orDie(paidOrder(id, bought, provisionAt)))
    yield* orders.insert(rows)
    return yield* orders.findMany(ids)
  })
})
