import { DateTime } from "effect"
import type { AgreedChange } from "../../orders/changes/AgreeProxyChange.ts"
import type { Order } from "../../orders/Order.ts"
import { type Faults, hidden } from "../../pages/Field.ts"
import { moment, money } from "../../pages/Format.ts"
import { type Content, counted, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import * as Money from "../../platform/Money.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { topUpFor } from "../desk/TopUpLink.ts"
import { addressBehind } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { idsText, type Outcome } from "./ChosenProxies.ts"
import { outcomeCard } from "./OutcomeCard.ts"
import { linkTo, shortName } from "./ProxyWords.ts"
import { monthsText } from "./Months.ts"

/** The sum of one currency, and the money in the wallet that pays it. */
interface Sum {
  readonly total: bigint
  readonly balance: bigint
}

export interface ExtensionOfChosen {
  readonly orders: ReadonlyArray<Order>
  readonly months: string
  readonly agreed: ReadonlyArray<AgreedChange>
  /** Mobile rotating proxies, which are extended by a tariff of their own. */
  readonly mobile: ReadonlyArray<Order>
  readonly refused: Outcome["refused"]
  readonly sums: ReadonlyArray<readonly [currency: Money.Currency, sum: Sum]>
  /** Makes a form that is sent twice extend once. */
  readonly nonce: string
  readonly faults?: Faults
}

const prices = (visit: Visit, agreed: ReadonlyArray<AgreedChange>): Html =>
  table<AgreedChange>(
    [
      {
        as: "name",
        head: text("proxies.proxy"),
        cell: ({ order }) => linkTo(visit, order)
      },
      {
        head: text("proxies.new_end"),
        label: text("proxies.new_end"),
        cell: ({ terms }) => moment(terms.expires_at)
      },
      {
        as: "number",
        head: text("proxy_list.price"),
        cell: ({ terms }) => money(terms.currency, terms.total)
      }
    ],
    agreed
  )

const wallet = (visit: Visit, next: string, currency: Money.Currency, { balance, total }: Sum): Html =>
  balance < total
    ? html`<p class="note">
        ${text("proxies.short", {
          missing: money(currency, total - balance),
          link: html`<a href="${topUpFor(visit, currency, total - balance, next)}">${text("proxies.short_link")}</a>`
        })}
      </p>`
    : html`<p class="hint">
        ${text("proxies.wallet_after", { before: money(currency, balance), after: money(currency, balance - total) })}
      </p>`

/** The address of this page, to which a top-up leads back. */
const addressOf = ({ pathTo }: Visit, { months, orders }: ExtensionOfChosen): string =>
  `${pathTo("proxies/chosen/extend")}?${new URLSearchParams({ months, ids: idsText(orders) }).toString()}`

const paying = (visit: Visit, shown: ExtensionOfChosen): Html => {
  const { agreed, months, nonce, sums } = shown
  const isShort = sums.some(([, { balance, total }]) => balance < total)
  const amount: Content = sums.map(
    ([currency, { total }], index) => html`${index > 0 && " + "}${money(currency, total)}`
  )
  return html`<section class="card stack" aria-labelledby="pay">
    <h2 id="pay">${monthsText(months)}</h2>
    ${prices(visit, agreed)}
    <dl class="facts">
      <dt class="total">${text("proxies.total")}</dt>
      <dd class="total">${amount}</dd>
    </dl>
    ${sums.map(([currency, sum]) => wallet(visit, addressOf(visit, shown), currency, sum))}
    ${
      !isShort &&
      visit.form(
        visit.pathTo("proxies/chosen/extend"),
        html`${hidden("ids", idsText(agreed.map(({ order }) => order)))} ${hidden("months", months)}
          ${hidden("expected_totals", agreed.map(({ terms }) => Money.toDecimal(terms.currency, terms.total)).join(";"))}
          ${hidden("expected_ends", agreed.map(({ order }) => DateTime.formatIso(order.expires_at)).join(";"))}
          ${hidden("nonce", nonce)} <button class="primary">${text("proxies.pay_button", { amount })}</button>`,
        { class: "stack" }
      )
    }
  </section>`
}

const refusals = (visit: Visit, refused: Outcome["refused"]): Html =>
  html`<section class="card stack" aria-labelledby="refused">
    <h2 id="refused">${counted("proxy_list.not_extendable", refused.length)}</h2>
    <ul>
      ${refused.map(({ order, why }) => html`<li>${linkTo(visit, order)}: ${why}</li>`)}
    </ul>
  </section>`

const onOwnPages = ({ pathTo }: Visit, mobile: ReadonlyArray<Order>): Html =>
  html`<section class="card stack" aria-labelledby="mobile">
    <h2 id="mobile">${text("proxy_list.mobile_title")}</h2>
    <p>${text("proxy_list.mobile_about")}</p>
    <ul>
      ${mobile.map((order) => html`<li><a href="${pathTo(`proxies/${order.id}`)}#cycle">${shortName(order)}</a>${addressBehind(order)}</li>`)}
    </ul>
  </section>`

const backOf = ({ pathTo }: Visit, orders: ReadonlyArray<Order>) => {
  const query = new URLSearchParams({ ids: idsText(orders) }).toString()
  return [`${pathTo("proxies/chosen")}?${query}`, counted("proxy_list.chosen_title", orders.length)] as const
}

/** The price of more time for each of several proxies, before it is charged. */
export const extendChosenPage = (visit: Visit, shown: ExtensionOfChosen): Page => {
  const { agreed, faults, mobile, orders, refused } = shown
  return deskPage(
    visit,
    {
      title: text("proxy_list.extend_title"),
      section: "proxies",
      back: backOf(visit, orders),
      ...(faults !== undefined && { faults })
    },
    html`${agreed.length > 0 && paying(visit, shown)} ${mobile.length > 0 && onOwnPages(visit, mobile)}
    ${refused.length > 0 && refusals(visit, refused)}`
  )
}

/** Tells which of the chosen proxies were extended. */
export const extendedPage = (visit: Visit, orders: ReadonlyArray<Order>, outcome: Outcome): Page =>
  deskPage(
    visit,
    { title: text("proxy_list.extended_title"), section: "proxies", back: backOf(visit, orders) },
    outcomeCard(visit, outcome)
  )
