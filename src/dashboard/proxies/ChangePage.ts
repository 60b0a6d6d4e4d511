import { DateTime, Duration } from "effect"
import type { AgreedChange } from "../../orders/changes/AgreeProxyChange.ts"
import type { Order } from "../../orders/Order.ts"
import { type Faults, hidden } from "../../pages/Field.ts"
import { gigabytes, moment, money } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import * as Money from "../../platform/Money.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { daysText } from "../desk/PeriodText.ts"
import { proxyName } from "../desk/ProxyText.ts"
import { topUpFor } from "../desk/TopUpLink.ts"
import type { Visit } from "../desk/Visit.ts"
import { fact } from "./Shown.ts"

interface Change {
  readonly order: Order
  readonly agreed: AgreedChange
  /** The name of the page below that of the proxy. */
  readonly page: "extend" | "traffic"
  readonly title: Phrase
  /** The bought time or traffic. */
  readonly what: Content
  /** The field that says what is bought. */
  readonly field: readonly [name: string, value: string]
  /** The money in the wallet that pays. */
  readonly balance: bigint
  /** Makes a form that is sent twice buy once. */
  readonly nonce: string
  readonly faults?: Faults
}

/** The days from the end of the running term, or from now for a term that begins at once. */
const addedDays = ({ order, terms }: AgreedChange, now: DateTime.Utc): number => {
  const from = terms.kind === "restart" ? now : order.expires_at
  return Math.round(Duration.toDays(DateTime.distance(from, terms.expires_at)))
}

/** The field with what the change alters: the form buys for a proxy that is still as the page shows it. */
const seen = ({ agreed: { order }, page }: Change): Html =>
  page === "extend"
    ? hidden("expected_expires_at", DateTime.formatIso(order.expires_at))
    : hidden("expected_bandwidth_total_gb", String(order.bandwidth_gb ?? 0))

const funds = (visit: Visit, { agreed, balance, field, order, page }: Change) => {
  const { currency, total } = agreed.terms
  if (balance >= total)
    return html`<p class="hint">
      ${text("proxies.wallet_after", { before: money(currency, balance), after: money(currency, balance - total) })}
    </p>`
  const query = new URLSearchParams([[...field]]).toString()
  const next = `${visit.pathTo(`proxies/${order.id}/${page}`)}?${query}`
  return html`<p class="note">
    ${text("proxies.short", {
      missing: money(currency, total - balance),
      link: html`<a href="${topUpFor(visit, currency, total - balance, next)}">${text("proxies.short_link")}</a>`
    })}
  </p>`
}

/** The price of more time or traffic: it is charged what is shown here or nothing, and once. */
export const changePage = (visit: Visit, change: Change): Page => {
  const { agreed, faults, field, nonce, order, page, title, what } = change
  const { bandwidth_gb, currency, expires_at, kind, total } = agreed.terms
  const { now } = visit
  const path = visit.pathTo(`proxies/${order.id}`)
  return deskPage(
    visit,
    {
      title,
      section: "proxies",
      back: [path, proxyName(order)],
      ...(faults !== undefined && { faults })
    },
    html`<section class="card stack" aria-labelledby="pay">
      <h2 id="pay">${what}</h2>
      ${kind === "restart" && html`<p class="note">${text("proxies.restart_note")}</p>`}
      <dl class="facts">
        ${kind !== "traffic" && fact(text("proxies.length"), daysText(addedDays(agreed, now)))}
        <dt>${kind === "traffic" ? text("proxies.end") : text("proxies.new_end")}</dt>
        <dd>${moment(expires_at)}</dd>
        <dt>${text("proxies.new_limit")}</dt>
        <dd>${bandwidth_gb === null ? text("proxies.unlimited") : gigabytes(bandwidth_gb)}</dd>
        <dt class="total">${text("proxies.total")}</dt>
        <dd class="total">${money(currency, total)}</dd>
      </dl>
      ${funds(visit, change)}
      ${visit.form(
        `${path}/${page}`,
        html`${hidden(...field)} ${hidden("expected_total", Money.toDecimal(currency, total))} ${hidden("nonce", nonce)}
          ${seen(change)}
          <button class="primary">${text("proxies.pay_button", { amount: money(currency, total) })}</button>`,
        { class: "stack" }
      )}
    </section>`
  )
}
