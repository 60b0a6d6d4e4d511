import { DateTime } from "effect"
import type { Notice } from "../../notifications/Notifications.ts"
import type { Order } from "../Order.ts"

type Told = Pick<Order, "id" | "user_id" | "proxy_type" | "country" | "expires_at">

/** What a provider took back is not refunded by itself: somebody has to look at it. */
const askUs = "Nothing was refunded for it by itself: please contact support"

const named = ({ country, proxy_type }: Told) => `Your ${proxy_type} proxy in ${country}`

const end = ({ expires_at }: Told) => (expires_at === null ? "soon" : `on ${DateTime.formatIso(expires_at)}`)

const notice = (order: Told, kind: Notice["kind"], message: string): Notice => ({
  user_id: order.user_id,
  order_id: order.id,
  kind,
  message: `${named(order)} ${message}`
})

export const expiring = (order: Told & Pick<Order, "auto_renew">): Notice =>
  notice(
    order,
    "proxy_expiring",
    `expires ${end(order)}; ${order.auto_renew ? "it is renewed from your wallet" : "extend it to keep it"}`
  )

export const renewed = (order: Told): Notice => notice(order, "proxy_renewed", `was renewed and expires ${end(order)}`)

export const renewalFailed = (order: Told, why: string): Notice =>
  notice(
    order,
    "renewal_failed",
    `could not be renewed: ${why}. It is tried again every hour until it expires ${end(order)}`
  )

export const changeFailed = (order: Told, why: string): Notice =>
  notice(order, "change_failed", `was not changed: ${why}. The money is back in your wallet`)

/** Its provider gives the proxy less time or traffic than was paid for. */
export const reduced = (order: Told & Pick<Order, "bandwidth_gb">): Notice => {
  const limit = order.bandwidth_gb === null ? "" : ` with ${order.bandwidth_gb} GB of traffic`
  return notice(order, "proxy_reduced", `was reduced by its provider: it expires ${end(order)}${limit}. ${askUs}`)
}

/** Its provider ended the proxy before its time. */
export const ended = (order: Told): Notice =>
  notice(
    order,
    "proxy_ended",
    `was ended by its provider before its time; it would have expired ${end(order)}. ${askUs}`
  )
