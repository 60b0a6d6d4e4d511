import { DateTime } from "effect"
import type { Renewal } from "../../orders/changes/ProxyChanges.ts"
import type { Order } from "../../orders/Order.ts"
import { field, type Faults, hidden } from "../../pages/Field.ts"
import { country, date, money } from "../../pages/Format.ts"
import { type Content, counted, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import type { Currency } from "../../platform/Money.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { kindName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { idsText, type Outcome } from "./ChosenProxies.ts"
import { exportFields, type TypedExport } from "./ExportChoice.ts"
import { outcomeCard } from "./OutcomeCard.ts"
import { badge, ends, linkTo } from "./ProxyWords.ts"
import { monthsSelect } from "./Months.ts"

export interface Chosen {
  readonly orders: ReadonlyArray<Order>
  /** The next renewals of those that can be renewed, whether auto-renew is on or off. */
  readonly renewals: ReadonlyArray<Renewal>
  readonly outcome?: Outcome
  readonly faults?: Faults
  /** The choice of an export that was refused. */
  readonly typed?: TypedExport
  /** The tag that was typed, when it was refused. */
  readonly tag?: string | undefined
}

/** The sum of the renewals in each currency, and the day of the first. */
const renewalsText = ({ renewals }: Chosen): Content => {
  const [first, ...others] = renewals
  if (first === undefined) return undefined
  const sums = new Map<Currency, bigint>()
  for (const { terms } of renewals) sums.set(terms.currency, (sums.get(terms.currency) ?? 0n) + terms.total)
  const earliest = others.reduce((least, { charged_at }) => DateTime.min(least, charged_at), first.charged_at)
  return html`<p class="hint">
    ${counted("proxy_list.renewals", renewals.length, {
      amount: [...sums].map(([currency, sum], index) => html`${index > 0 && " + "}${money(currency, sum)}`),
      first: date(earliest)
    })}
  </p>`
}

const listed = (visit: Visit, orders: ReadonlyArray<Order>): Html =>
  table<Order>(
    [
      {
        as: "name",
        head: text("proxies.proxy"),
        cell: (order) => linkTo(visit, order)
      },
      {
        head: text("proxies.kind"),
        cell: (order) => html`${kindName(order)}, ${country(order.country)}`
      },
      { head: text("proxies.state"), cell: (order) => html`${badge(order)} ${ends(order, visit.now)}` },
      {
        head: text("proxy_list.tags"),
        label: text("proxy_list.tags"),
        cell: ({ tags }) => tags.slice(0, 3).map((tag) => html`<bdi>${tag.slice(0, 30)}</bdi> `)
      }
    ],
    orders
  )

/** Time for the chosen proxies: leads to the prices. */
const extending = ({ pathTo }: Visit, ids: string): Html =>
  html`<section class="card stack" aria-labelledby="extend">
    <h2 id="extend">${text("proxy_list.extend_title")}</h2>
    <form class="stack" action="${pathTo("proxies/chosen/extend")}">
      ${hidden("ids", ids)} ${monthsSelect}
      <div><button>${text("proxy_list.prices_button")}</button></div>
    </form>
  </section>`

/** What costs nothing: auto-renew, and the tags. Two forms, because Enter presses the first button of its form. */
const changing = ({ form, pathTo }: Visit, ids: string, chosen: Chosen): Html => {
  const { faults = {}, tag } = chosen
  const part = (content: Html) =>
    form(pathTo("proxies/chosen"), html`${hidden("ids", ids)} ${content}`, { class: "stack" })
  return html`<section class="card stack" aria-labelledby="change">
    <h2 id="change">${text("proxy_list.change_title")}</h2>
    ${part(
      html`${renewalsText(chosen)}
        <div class="row">
          <button name="do" value="renew">${text("proxies.auto_renew_on_button")}</button>
          <button name="do" value="keep">${text("proxies.auto_renew_off_button")}</button>
        </div>`
    )}
    ${part(
      html`${field({
          name: "tag",
          label: text("proxy_list.tag"),
          hint: text("proxy_list.tag_hint"),
          autocomplete: "off",
          value: tag,
          error: faults["tag"]
        })}
        <div class="row">
          <button name="do" value="tag">${text("proxy_list.tag_button")}</button>
          <button name="do" value="untag">${text("proxy_list.untag_button")}</button>
        </div>`
    )}
  </section>`
}

const exporting = ({ pathTo }: Visit, ids: string, { typed }: Chosen): Html =>
  html`<section class="card stack" aria-labelledby="export">
    <h2 id="export">${text("proxy_list.export_title")}</h2>
    <form class="stack" action="${pathTo("proxies/chosen/export")}">
      ${hidden("ids", ids)} ${exportFields(typed)}
      <div><button>${text("proxy_list.export_button")}</button></div>
    </form>
  </section>`

/** The chosen proxies, and what can be done with all of them. */
export const chosenPage = (visit: Visit, chosen: Chosen): Page => {
  const { orders, outcome, typed } = chosen
  const faults = chosen.faults ?? typed?.faults
  const ids = idsText(orders)
  return deskPage(
    visit,
    {
      title: counted("proxy_list.chosen_title", orders.length),
      section: "proxies",
      back: [visit.pathTo("proxies"), text("desk.proxies")],
      ...(faults !== undefined && { faults })
    },
    html`${outcome !== undefined && outcomeCard(visit, outcome)} ${extending(visit, ids)}
      ${changing(visit, ids, chosen)} ${exporting(visit, ids, chosen)}
      <section class="card" aria-label="${text("proxy_list.chosen")}">${listed(visit, orders)}</section>`
  )
}
