import type { DateTime } from "effect"
import { country, gigabytes, type LocalText, minute, money, say } from "../../brand/LocalText.ts"
import type { Notice } from "../../notifications/Notifications.ts"
import type * as Money from "../../platform/Money.ts"
import type { Order } from "../Order.ts"

type NoticedOrder = Pick<Order, "id" | "user_id" | "proxy_type" | "country" | "expires_at">

const kinds = {
  datacenter: say("proxy.datacenter"),
  residential: say("proxy.residential"),
  mobile: say("proxy.mobile")
} satisfies Record<Order["proxy_type"], LocalText>

const on = (time: DateTime.Utc) => say("notice.on", { time: minute(time) })

/** The values of every notice about an order. */
const about = ({ country: code, expires_at, proxy_type }: NoticedOrder) => ({
  proxy: say("notice.proxy", { kind: kinds[proxy_type], country: country(code) }),
  end: expires_at === null ? say("notice.soon") : on(expires_at)
})

const notice = ({ id, user_id }: NoticedOrder, kind: Notice["kind"], message: LocalText): Notice => ({
  user_id,
  order_id: id,
  kind,
  message
})

export const expiring = (order: NoticedOrder & Pick<Order, "auto_renew">): Notice =>
  notice(
    order,
    "proxy_expiring",
    order.auto_renew ? say("notice.expiring_renewed", about(order)) : say("notice.expiring", about(order))
  )

export const renewed = (order: NoticedOrder): Notice =>
  notice(order, "proxy_renewed", say("notice.renewed", about(order)))

/** Staff gave time at no charge. */
export const timeGiven = (order: NoticedOrder): Notice =>
  notice(order, "proxy_renewed", say("notice.time_given", about(order)))

/** The proxy has another exit address and another login, in place of all others. */
export const replaced = (order: NoticedOrder): Notice =>
  notice(order, "proxy_replaced", say("notice.replaced", { proxy: about(order).proxy }))

/** The warranty has given the proxy another exit address. */
export const moved = (order: NoticedOrder): Notice =>
  notice(order, "proxy_replaced", say("notice.moved", { proxy: about(order).proxy }))

/** The warranty has credited the time that an outage took. */
export const credited = (order: NoticedOrder, { minutes, ...price }: Price & { readonly minutes: number }): Notice =>
  notice(
    order,
    "deposit_credited",
    say("notice.warranty_credit", {
      proxy: about(order).proxy,
      minutes: ({ number }) => number.format(minutes),
      price: money(price.currency, price.total)
    })
  )

export const renewalFailed = (order: NoticedOrder, why: LocalText): Notice =>
  notice(order, "renewal_failed", say("notice.renewal_failed", { ...about(order), why }))

interface Price {
  readonly currency: Money.Currency
  readonly total: bigint
}

const price = ({ currency, total }: Price) => money(currency, total)

/** The renewal costs clearly more than the same time cost before. */
export const renewalPrice = (
  order: NoticedOrder,
  before: Price,
  { renews_from, ...announced }: Price & { readonly renews_from: DateTime.Utc }
): Notice =>
  notice(
    order,
    "renewal_price",
    say("notice.renewal_price", {
      ...about(order),
      price: price(announced),
      before: price(before),
      renews: on(renews_from)
    })
  )

export const changeFailed = (order: NoticedOrder, why: LocalText): Notice =>
  notice(order, "change_failed", say("notice.change_failed", { proxy: about(order).proxy, why }))

/** The provider gives the proxy less time or traffic than was paid for. The operator decides about a refund. */
export const reduced = (order: NoticedOrder & Pick<Order, "bandwidth_gb">): Notice => {
  const { bandwidth_gb } = order
  const message =
    bandwidth_gb === null
      ? say("notice.reduced", about(order))
      : say("notice.reduced_traffic", { ...about(order), traffic: gigabytes(bandwidth_gb) })
  return notice(order, "proxy_reduced", message)
}

/** Staff ended the proxy. */
export const endedBySupport = (order: NoticedOrder): Notice =>
  notice(order, "proxy_ended", say("notice.ended_by_support", about(order)))

/** The provider ended the proxy early. The operator decides about a refund. */
export const ended = (order: NoticedOrder): Notice => notice(order, "proxy_ended", say("notice.ended", about(order)))
