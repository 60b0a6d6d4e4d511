import { Array as Arr, DateTime } from "effect"
import * as BilledCall from "../../provider/BilledCall.ts"
import type { Order, PlacedOrder } from "../Order.ts"
import type { AgreedOrder } from "./AgreeOrder.ts"
import type { Purchase } from "./BuyOrders.ts"
import type { OrderPrices } from "./OrderPrices.ts"

/** A purchase and the terms on which the offer fulfils it. */
export interface Agreed extends Purchase, AgreedOrder {}

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

export type Payment = Pick<Order, "status" | "payment_intent_id">

export const fromWallet: Payment = { status: "paid", payment_intent_id: null }

/** The new orders of a purchase, as they are stored. */
export const newOrders = (
  { caller, ids, offer, request, terms }: Agreed,
  prices: OrderPrices,
  payment: Payment,
  now: DateTime.Utc
) => {
  const order = {
    ...payment,
    user_id: caller.user_id,
    api_key_id: caller.credential._tag === "api_key" ? caller.credential.api_key_id : null,
    oauth_client_id: caller.credential._tag === "oauth" ? caller.credential.client_id : null,
    offer_id: offer.id,
    provider: offer.provider,
    external_id: offer.external_id,
    proxy_status: "pending" as const,
    proxy_type: offer.kind,
    mode: offer.mode,
    ip_version: offer.ip_version,
    protocol: terms.protocol,
    country: terms.country,
    city: terms.city,
    period_days: terms.option.period_days,
    period_months: terms.option.period_months,
    tarification_index: terms.tarification_index,
    bandwidth_gb: terms.bandwidth_gb,
    currency: terms.currency,
    cost_usd: terms.unit_cost_usd,
    extra_total: terms.extra_gb === 0n ? null : terms.unit_price - terms.option_price,
    extra_total_usd: terms.extra_gb === 0n ? null : terms.unit_price_usd - terms.option_price_usd,
    payment_method: request.payment_method,
    payment_url: null,
    auto_renew: request.auto_renew,
    notes: request.notes ?? null,
    ...unprovisioned,
    provision_at: DateTime.add(now, BilledCall.lease),
    created_at: now,
    updated_at: now
  }
  return Arr.zipWith(ids, prices, (id, price): PlacedOrder => ({ id, ...price, ...order }))
}
