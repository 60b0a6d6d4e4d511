import type { AgreedChange } from "../../orders/changes/AgreeProxyChange.ts"
import type { Order } from "../../orders/Order.ts"
import { type Faults, hidden } from "../../pages/Field.ts"
import { moment, money } from "../../pages/Format.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import * as Money from "../../platform/Money.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { proxyName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"

interface Extension {
  readonly order: Order
  readonly months: string
  readonly agreed: AgreedChange
  /** The money in the wallet that pays. */
  readonly balance: bigint
  /** Makes a form that is sent twice extend once. */
  readonly nonce: string
  readonly faults?: Faults
}

/** The price of an extension, before it is charged. */
export const extendPage = (visit: Visit, { agreed, balance, faults, months, nonce, order }: Extension): Page => {
  const { currency, expires_at, total } = agreed.terms
  const path = visit.pathTo(`proxies/${order.id}`)
  const isShort = balance < total
  return deskPage(
    visit,
    {
      title: text("proxies.extend_title"),
      section: "proxies",
      back: [path, proxyName(order)],
      ...(faults !== undefined && { faults })
    },
    html`<section class="card stack" aria-labelledby="pay">
      <h2 id="pay">${text("proxies.months", { months })}</h2>
      <dl class="facts">
        <dt>${text("proxies.new_end")}</dt>
        <dd>${moment(expires_at)}</dd>
        <dt class="total">${text("proxies.total")}</dt>
        <dd class="total">${money(currency, total)}</dd>
      </dl>
      ${
        isShort
          ? html`<p class="note">
              ${text("proxies.short", {
                missing: money(currency, total - balance),
                link: html`<a href="${visit.pathTo("wallet/top-up")}">${text("proxies.short_link")}</a>`
              })}
            </p>`
          : html`<p class="hint">
              ${text("proxies.wallet_after", {
                before: money(currency, balance),
                after: money(currency, balance - total)
              })}
            </p>`
      }
      ${visit.form(
        `${path}/extend`,
        html`${hidden("months", months)} ${hidden("expected_total", Money.toDecimal(currency, total))}
          ${hidden("nonce", nonce)}
          <button class="primary">${text("proxies.pay_button", { amount: money(currency, total) })}</button>`,
        { class: "stack" }
      )}
    </section>`
  )
}
