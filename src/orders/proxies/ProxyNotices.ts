import { DateTime } from "effect"
import type { Notice } from "../../notifications/Notifications.ts"
import * as Money from "../../platform/Money.ts"
import type { Order } from "../Order.ts"

type NoticedOrder = Pick<Order, "id" | "user_id" | "proxy_type" | "country" | "expires_at">

/** The operator decides about a refund when a provider delivers less than was paid for. */
const askUs = "There is no automatic refund: please contact support"

const named = ({ country, proxy_type }: NoticedOrder) => `Your ${proxy_type} proxy in ${country}`

const end = ({ expires_at }: NoticedOrder) => (expires_at === null ? "soon" : `on ${DateTime.formatIso(expires_at)}`)

const notice = (order: NoticedOrder, kind: Notice["kind"], message: string): Notice => ({
  user_id: order.user_id,
  order_id: order.id,
  kind,
  message: `${named(order)} ${message}`
})

export const expiring = (order: NoticedOrder & Pick<Order, "auto_renew">): Notice =>
  notice(
    order,
    "proxy_expiring",
    `expires ${end(order)}; ${order.auto_renew ? "the service renews it from your wallet" : "extend it to keep it"}`
  )

export const renewed = (order: NoticedOrder): Notice =>
  notice(order, "proxy_renewed", `was renewed and expires ${end(order)}`)

export const renewalFailed = (order: NoticedOrder, why: string): Notice =>
  notice(
    order,
    "renewal_failed",
    `could not be renewed: ${why}. The service tries again every hour until the proxy expires ${end(order)}`
  )

interface Price {
  readonly currency: Money.Currency
  readonly total: bigint
}

const price = ({ currency, total }: Price) => `${Money.toDecimal(currency, total)} ${currency}`

/** The renewal costs clearly more than the same time cost before. */
export const renewalPrice = (
  order: NoticedOrder,
  before: Price,
  { renews_from, ...announced }: Price & { readonly renews_from: DateTime.Utc }
): Notice =>
  notice(
    order,
    "renewal_price",
    `costs ${price(announced)} to renew. The same time cost ${price(before)} before. The service renews it from your wallet on ${DateTime.formatIso(renews_from)}, at this price or less. To decline, switch auto-renew off before then; the proxy then expires ${end(order)}`
  )

export const changeFailed = (order: NoticedOrder, why: string): Notice =>
  notice(order, "change_failed", `was not changed: ${why}. The money is back in your wallet`)

/** The provider gives the proxy less time or traffic than was paid for. */
export const reduced = (order: NoticedOrder & Pick<Order, "bandwidth_gb">): Notice => {
  const limit = order.bandwidth_gb === null ? "" : ` with ${order.bandwidth_gb} GB of traffic`
  return notice(order, "proxy_reduced", `was reduced by its provider: it expires ${end(order)}${limit}. ${askUs}`)
}

/** The provider ended the proxy early. */
export const ended = (order: NoticedOrder): Notice =>
  notice(
    order,
    "proxy_ended",
    `was ended by its provider before its time; it would have expired ${end(order)}. ${askUs}`
  )
