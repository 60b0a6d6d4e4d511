import { DateTime } from "effect"
import type { Order } from "../../orders/Order.ts"
import { gigabytes, until } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { addressBehind, type Named, plainName, proxyName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"

export { addressOf } from "../../orders/ProxyAddress.ts"

/** The states of a proxy in words, each with the class of its mark. */
const states = {
  pending: [text("proxies.pending"), "unknown"],
  active: [text("proxies.active"), "good"],
  expiring: [text("proxies.expiring"), "unknown"],
  expired: [text("proxies.expired"), ""],
  cancelled: [text("proxies.cancelled"), "bad"]
} as const satisfies Record<Order["proxy_status"], unknown>

const unpaid = [text("proxies.unpaid"), "unknown"] as const

/** True while an order waits for its payment from outside. */
export const isUnpaid = ({ status }: Pick<Order, "status">): boolean => status === "waiting_payment"

/** True for an order from outside that never had a proxy: it is not paid, or it ended before it was paid. */
export const wasNeverPaid = (order: Pick<Order, "status" | "payment_intent_id" | "provider_proxy_id">): boolean =>
  isUnpaid(order) ||
  (order.status === "cancelled" && order.payment_intent_id !== null && order.provider_proxy_id === null)

export const badge = (order: Pick<Order, "status" | "proxy_status">): Html => {
  const [state, mark] = isUnpaid(order) ? unpaid : states[order.proxy_status]
  return html`<span class="mark ${mark}">${state}</span>`
}

/** The state of a proxy in words. */
export const stateText = (status: Order["proxy_status"]): Content => states[status][0]

/** The characters that a list shows of a name. */
const shortNameLength = 40

const shortened = (proxy: Named): Named => {
  const { country, ip_version, notes, proxy_type } = proxy
  const characters = Array.from(notes ?? "")
  if (characters.length <= shortNameLength) return proxy
  return { country, ip_version, proxy_type, notes: `${characters.slice(0, shortNameLength).join("")}…` }
}

/** The name of a proxy, shortened: a list has many. */
export const shortName = (proxy: Named): Html => proxyName(shortened(proxy))

/** The shortened name of a proxy without markup, for labels. */
export const shortPlainName = (proxy: Named): Phrase | string => plainName(shortened(proxy))

/** The shortened name of a proxy as a link to its page, and its address. */
export const linkTo = ({ pathTo }: Pick<Visit, "pathTo">, order: Named & Pick<Order, "id" | "host" | "port">): Html =>
  html`<a href="${pathTo(`proxies/${order.id}`)}">${shortName(order)}</a>${addressBehind(order)}`

interface Ending {
  readonly auto_renew: boolean
  readonly expires_at: DateTime.Utc | Date | null
}

/** Says when a proxy ends or ended, and whether it renews. */
export const ends = ({ auto_renew, expires_at }: Ending, now: DateTime.Utc): Content => {
  if (expires_at === null) return undefined
  const end = DateTime.makeUnsafe(expires_at)
  const when = until(end, now)
  if (DateTime.isLessThanOrEqualTo(end, now)) return text("proxies.ended", { when })
  return auto_renew ? text("proxies.renews", { when }) : text("proxies.ends", { when })
}

/** The traffic of the running cycle, with a bar where it has a limit. */
export const traffic = (usedGb: number | null, totalGb: number | null): Html => {
  const total = totalGb === null ? text("proxies.unlimited") : gigabytes(totalGb)
  if (usedGb === null) return html`<p>${text("proxies.traffic_total", { total })}</p>`
  if (totalGb === null) return html`<p>${text("proxies.traffic_unlimited", { used: gigabytes(usedGb) })}</p>`
  return html`<div class="used">
    <p>${text("proxies.traffic", { used: gigabytes(usedGb), total })}</p>
    ${totalGb > 0 && html`<progress max="${totalGb}" value="${usedGb}" aria-label="${text("proxies.traffic_label")}"></progress>`}
  </div>`
}
