import { isMobileRotating } from "../../orders/Order.ts"
import { isLive } from "../../orders/OrderStatus.ts"
import { field, hidden, select } from "../../pages/Field.ts"
import { gigabytes, moment, money, usd } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import { lengthText, periodText } from "../desk/PeriodText.ts"
import type { Visit } from "../desk/Visit.ts"
import { traffic } from "./ProxyWords.ts"
import { fact, type Shown, valueOf } from "./Shown.ts"
import { monthsSelect } from "./Months.ts"

/** The price and the day of the renewal. */
const renewalText = ({ order, renewal }: Shown): Content => {
  if (renewal === undefined) return undefined
  const { charged_at, terms } = renewal
  const said = { price: money(terms.currency, terms.total), period: lengthText(terms), date: moment(charged_at) }
  return html`<p class="hint">
    ${order.auto_renew ? text("proxies.renewal", said) : text("proxies.would_renew", said)}
  </p>`
}

const renewing = ({ form }: Visit, path: string, { order, ...shown }: Shown): Html =>
  form(
    `${path}/auto-renew`,
    html`${renewalText({ order, ...shown })} ${hidden("enabled", order.auto_renew ? "off" : "on")}
      <div>
        <button>
          ${order.auto_renew ? text("proxies.auto_renew_off_button") : text("proxies.auto_renew_on_button")}
        </button>
      </div>`,
    { class: "stack" }
  )

/** The tariffs of a mobile rotating proxy, in the currency that pays. */
const byTariff = ({ offer, order }: Shown): Content =>
  offer !== undefined &&
  select({
    name: "tarification_index",
    label: text("proxies.extend_tariff"),
    value: String(order.tarification_index),
    options: offer.options.map((option, index) => {
      const { bandwidth_gb, prices } = option
      const inStars = order.currency === "STAR" && prices.STAR !== null
      const price = inStars ? money("STAR", prices.STAR) : usd(prices.USD ?? 0n)
      const included = bandwidth_gb === null ? text("proxies.unlimited") : gigabytes(bandwidth_gb)
      return [String(index), html`${periodText(option)}, ${included}, ${price}`] as const
    })
  })

const extending = (path: string, shown: Shown): Content =>
  shown.offer !== undefined &&
  html`<form class="stack" action="${path}/extend">
    ${isMobileRotating(shown.order) ? byTariff(shown) : monthsSelect}
    <div><button>${text("proxies.extend_review_button")}</button></div>
  </form>`

/** More traffic, for a proxy with a limit whose offer sells it. */
const buyingTraffic = (path: string, shown: Shown): Content => {
  const { offer, order } = shown
  const perGb = offer?.price_per_gb.USD ?? null
  if (order.bandwidth_gb === null || perGb === null) return undefined
  return html`<form class="stack" action="${path}/traffic">
    ${field({
      name: "bandwidth_gb",
      label: text("proxies.buy_traffic"),
      hint: text("proxies.buy_traffic_hint", { price: usd(perGb) }),
      type: "number",
      autocomplete: "off",
      value: valueOf(shown, "bandwidth_gb", "10"),
      error: shown.faults?.["bandwidth_gb"],
      more: html` min="1" max="5000" inputmode="numeric"`
    })}
    <div><button>${text("proxies.extend_review_button")}</button></div>
  </form>`
}

/** The running cycle, and what changes it. */
export const cycleCard = (visit: Visit, path: string, shown: Shown): Html => {
  const { order, usedGb } = shown
  const { auto_renew, expires_at, protocol } = order
  const live = isLive(order.proxy_status)
  return html`<section class="card stack" aria-labelledby="cycle">
    <h2 id="cycle">${text("proxies.cycle")}</h2>
    ${traffic(usedGb, order.bandwidth_gb)}
    <dl class="facts">
      ${expires_at !== null && fact(text("proxies.end"), moment(expires_at))}
      ${fact(text("proxies.auto_renew"), auto_renew ? text("proxies.on") : text("proxies.off"))}
      ${fact(text("proxies.protocol"), protocol)}
    </dl>
    ${live && renewing(visit, path, shown)} ${live && extending(path, shown)} ${live && buyingTraffic(path, shown)}
  </section>`
}
