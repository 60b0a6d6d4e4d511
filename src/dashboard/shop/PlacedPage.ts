import type { DateTime } from "effect"
import { isLive, type OrderStatus } from "../../orders/OrderStatus.ts"
import type { Order } from "../../orders/Order.ts"
import { copyButton } from "../../pages/Copying.ts"
import { money } from "../../pages/Format.ts"
import { type Content, counted, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { addressBehind, proxyName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { paymentCard } from "../payments/PaymentCard.ts"

/** The fields of an order that its pages show. */
type PlacedOrder = Pick<
  Order,
  | "id"
  | "status"
  | "proxy_status"
  | "proxy_type"
  | "ip_version"
  | "country"
  | "notes"
  | "currency"
  | "total"
  | "protocol"
  | "host"
  | "port"
  | "username"
  | "password"
  | "payment_intent_id"
  | "payment_url"
> & { readonly created_at: DateTime.Utc }

export interface Placed {
  /** The idempotency key of the order, which names its pages. */
  readonly key: string
  readonly orders: ReadonlyArray<PlacedOrder>
}

type Mark = "" | "good" | "unknown" | "bad"

const states: Readonly<Record<OrderStatus, readonly [Phrase, Mark]>> = {
  new: [text("shop.setting_up"), ""],
  waiting_payment: [text("shop.unpaid"), "unknown"],
  paid: [text("shop.setting_up"), ""],
  provisioned: [text("shop.ready"), "good"],
  provisioning_failed: [text("shop.not_delivered"), "bad"],
  refunded: [text("shop.refunded"), "bad"],
  cancelled: [text("shop.cancelled"), ""],
  expired: [text("shop.ended"), ""]
}

const unsettled: ReadonlyArray<OrderStatus> = ["new", "waiting_payment", "paid", "provisioning_failed"]

const isUnpaid = ({ status }: PlacedOrder) => status === "waiting_payment"
const isReady = ({ proxy_status }: PlacedOrder) => isLive(proxy_status)

/** True while the orders change by themselves. */
const isWaiting = ({ orders }: Placed): boolean => orders.some(({ status }) => unsettled.includes(status))

const headline = ({ orders }: Placed): Phrase => {
  if (orders.some(isUnpaid)) return text("shop.waiting_title")
  const ready = orders.filter(isReady).length
  if (isWaiting({ key: "", orders })) return text("shop.progress", { ready, total: orders.length })
  return ready > 0 ? counted("shop.ready_title", ready) : text("shop.none_ready_title")
}

const line = ({ pathTo }: Visit, order: PlacedOrder): Html => {
  const [state, mark] = states[order.status]
  const name = proxyName(order)
  return html`<li>
    <span class="mark ${mark}">${state}</span>
    <span
      >${isReady(order) ? html`<a href="${pathTo(`proxies/${order.id}`)}">${name}</a>${addressBehind(order)}` : name}</span
    >
  </li>`
}

const progress = (visit: Visit, placed: Placed): Html => {
  const { orders } = placed
  const done = orders.filter(({ status }) => !unsettled.includes(status)).length
  return html`<section class="card stack" aria-labelledby="state" aria-live="polite">
    <h2 id="state">${headline(placed)}</h2>
    <progress max="${orders.length}" value="${done}" aria-label="${text("shop.progress_label")}"></progress>
    <ul class="steps">
      ${orders.map((order) => line(visit, order))}
    </ul>
    ${orders.some(({ status }) => status === "refunded") && html`<p>${text("shop.refunded_about")}</p>`}
  </section>`
}

const payment = (visit: Visit, { key, orders }: Placed): Content => {
  const unpaid = orders.filter(isUnpaid)
  const [first] = unpaid
  if (first === undefined || first.payment_intent_id === null) return undefined
  const amount = money(
    first.currency,
    unpaid.reduce((sum, { total }) => sum + total, 0n)
  )
  const cancelPath = visit.pathTo(`orders/batch/${key}/cancel`)
  return paymentCard(visit, { id: first.payment_intent_id, payment_url: first.payment_url, amount, cancelPath })
}

const schemes = { HTTP: "http", HTTPS: "http", SOCKS5: "socks5h" } as const

/** The access to a proxy in one line, as most programs take it. */
const access = ({ host, password, port, protocol, username }: PlacedOrder): string =>
  `${schemes[protocol]}://${encodeURIComponent(username ?? "")}:${encodeURIComponent(password ?? "")}@${host}:${port}`

const credentials = (orders: ReadonlyArray<PlacedOrder>): Content => {
  const ready = orders.filter(isReady)
  return (
    ready.length > 0 &&
    html`<section class="card" aria-labelledby="access">
      <h2 id="access">${text("shop.access_title")}</h2>
      <p>${text("shop.access_about")}</p>
      <div class="example">
        <pre id="lines">${ready.map(access).join("\n")}</pre>
        ${copyButton("lines", text("shop.access_title"))}
      </div>
    </section>`
  )
}

/** The orders of one purchase, until their proxies work. */
export const placedPage = (visit: Visit, placed: Placed): Page => {
  const waits = isWaiting(placed)
  return deskPage(
    visit,
    {
      title: text("shop.placed_title"),
      section: "shop",
      lead: waits ? text("shop.placed_about") : undefined,
      reloadSeconds: waits ? 3 : undefined,
      actions: html`<a class="button" href="${visit.pathTo("shop")}">${text("shop.more_link")}</a>`
    },
    html`<div class="stack" id="placed" ${waits && html` data-live="2"`}>
      ${payment(visit, placed)} ${progress(visit, placed)} ${credentials(placed.orders)}
    </div>`
  )
}

/** Asks before unpaid orders are cancelled. The page of the orders changes by itself, so the question has its own. */
export const cancelPage = (visit: Visit, { key, orders }: Placed): Page => {
  const path = visit.pathTo(`orders/batch/${key}`)
  const button = html`<button class="danger">${text("shop.cancel_button")}</button>`
  return deskPage(
    visit,
    { title: text("shop.cancel_title"), section: "shop", back: [path, text("shop.placed_title")] },
    html`<section class="card stack" aria-labelledby="cancel">
      <h2 id="cancel">${counted("shop.cancel_count", orders.filter(isUnpaid).length)}</h2>
      <p>${text("shop.cancel_about")}</p>
      <div class="row">
        ${visit.form(`${path}/cancel`, button)}
        <a class="button" href="${path}">${text("shop.keep_link")}</a>
      </div>
    </section>`
  )
}
