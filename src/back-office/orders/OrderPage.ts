import { country, gigabytes, moment, money, usd } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { may } from "../../staff/Actor.ts"
import type { OrderWithSteps } from "../../staff/orders/StaffOrder.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerName } from "../desk/CustomerName.ts"
import { type Refund, refundTable } from "../desk/MoneyTables.ts"
import { orderTimeline } from "./OrderTimeline.ts"
import { shortId } from "../desk/ShortId.ts"
import { type Workable, workCard } from "./WorkPages.ts"
import { methodText, orderState, proxyText } from "../desk/StateText.ts"

/** Everything that the page of an order shows. */
export interface ShownOrder extends OrderWithSteps {
  readonly refunds: ReadonlyArray<Refund>
  readonly work: Workable
}

interface Outcome {
  readonly notice?: Content
  readonly warning?: Content
}

const fact = (name: Phrase, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

const product = ({ order }: ShownOrder): Html =>
  html`<section class="card stack" aria-labelledby="product">
    <h2 id="product">${text("order.product")}</h2>
    <dl class="facts">
      ${fact(text("customer.id"), html`<code>${order.id}</code>`)}
      ${fact(text("order.offer"), order.offer_name ?? order.offer_id)}
      ${fact(text("order.kind"), html`<code>${order.proxy_type} ${order.mode} ${order.ip_version} ${order.protocol}</code>`)}
      ${fact(text("order.country"), html`${country(order.country)} ${order.city ?? undefined}`)}
      ${fact(text("order.term"), text("order.term_text", { days: order.period_days, months: order.period_months }))}
      ${order.bandwidth_gb !== null && fact(text("order.traffic"), gigabytes(order.bandwidth_gb))}
      ${fact(text("order.provider"), html`<code>${order.provider}</code> <small><code>${order.external_id}</code></small>`)}
      ${order.provider_proxy_id !== null && fact(text("order.provider_proxy_id"), html`<code>${order.provider_proxy_id}</code>`)}
      ${order.host !== null && fact(text("customer.address"), html`<code>${order.host}:${order.port ?? ""}</code>`)}
      ${fact(text("order.auto_renew"), order.auto_renew ? text("admin.yes") : text("admin.no"))}
      ${fact(text("customer.created"), moment(order.created_at))}
      ${order.expires_at !== null && fact(text("customer.ends"), moment(order.expires_at))}
    </dl>
  </section>`

const price = ({ pathTo }: AdminVisit, { order }: ShownOrder): Html =>
  html`<section class="card stack" aria-labelledby="price">
    <h2 id="price">${text("customer.price")}</h2>
    <dl class="facts">
      ${fact(text("customer.price"), money(order.currency, order.total))}
      ${order.discount > 0n && fact(text("order.discount"), html`${money(order.currency, order.discount)} <small><code>${order.promo_code ?? ""}</code></small>`)}
      ${fact(text("order.cost"), order.cost_usd === null ? text("order.unknown") : usd(order.cost_usd))}
      ${fact(text("order.method"), methodText(order.payment_method))}
      ${order.payment_intent_id !== null && fact(text("customer.payment"), html`<a href="${pathTo(`payments/${order.payment_intent_id}`)}"><code>${order.payment_intent_id}</code></a>`)}
      ${order.api_key_id !== null && fact(text("order.api_key"), html`<code>${order.api_key_id}</code>`)}
      ${order.oauth_client_id !== null && fact(text("customer.app"), html`<code>${order.oauth_client_id}</code>`)}
    </dl>
  </section>`

/** One order: what was bought by whom, its price and cost, and everything that happened. */
export const orderPage = (visit: AdminVisit, shown: ShownOrder, outcome: Outcome = {}): Page => {
  const { order, refunds, timeline, work } = shown
  const { actor, pathTo } = visit
  return adminPage(
    visit,
    {
      title: text("order.title", { id: shortId(order.id) }),
      section: "orders",
      back: [pathTo(`customers/${order.user_id}`), customerName({ email: order.email, id: order.user_id })],
      lead: html`${orderState(order.status)} ${proxyText[order.proxy_status]}`,
      actions: html`${
        may(actor, "adjustment.goodwill") &&
        html`<a class="button" href="${pathTo(`customers/${order.user_id}/credit`)}?order_id=${order.id}"
          >${text("credit.link")}</a
        > `
      }${
        may(actor, "refund.create") &&
        html`<a class="button" href="${pathTo(`orders/${order.id}/refund`)}">${text("refund.link")}</a>`
      }`,
      ...outcome
    },
    html`<div class="two">${product(shown)} ${price(visit, shown)}</div>
      ${
        refunds.length > 0 &&
        html`<section class="card stack" aria-labelledby="refunds">
          <h2 id="refunds">${text("customer.refunds")}</h2>
          ${refundTable(visit, refunds, { isOfOneOrder: true })}
        </section>`
      }
      ${workCard(visit, work)}
      <section class="card stack" aria-labelledby="timeline">
        <h2 id="timeline">${text("order.timeline")}</h2>
        ${orderTimeline(visit, timeline)}
      </section>`
  )
}
