import type { OrderCounts } from "../../orders/OrderCounts.ts"
import type { ProxyFilter } from "../../orders/OrderFilter.ts"
import type { ListedOrderRow } from "../../orders/OrderView.ts"
import { copyButton } from "../../pages/Copying.ts"
import { country, number } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import { icon } from "../../pages/Icons.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { table } from "../../pages/Table.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { kindText, proxyName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { addressOf, badge, ends } from "./ProxyWords.ts"

interface Listed {
  readonly filter: ProxyFilter
  readonly counts: OrderCounts
  readonly orders: ReadonlyArray<ListedOrderRow>
  readonly part: Part
}

/** A query that keeps the filter. */
const queryOf = (filter: ProxyFilter, more: Readonly<Record<string, string>> = {}): string => {
  const query = new URLSearchParams({ ...filter, ...more }).toString()
  return query === "" ? "" : `?${query}`
}

const tabs = (path: string, { proxy_status, ...others }: ProxyFilter, counts: OrderCounts): Html => {
  const entries = [
    [undefined, text("proxies.all"), counts.total],
    ["active", text("proxies.active"), counts.active],
    ["expiring", text("proxies.expiring"), counts.expiring],
    ["expired", text("proxies.expired"), counts.expired]
  ] as const
  return html`<nav class="tabs" aria-label="${text("proxies.by_state")}">
    ${entries.map(
      ([status, label, count]) =>
        html`<a
          href="${path}${queryOf({ ...others, ...(status !== undefined && { proxy_status: status }) })}"
          ${status === proxy_status && html` aria-current="page"`}
          >${label} <span>${number(count)}</span></a
        >`
    )}
  </nav>`
}

const copying = (order: ListedOrderRow): Content => {
  const address = addressOf(order)
  return address !== undefined && copyButton(address, html`${proxyName(order)}`)
}

const listed = ({ now, pathTo }: Visit, orders: ReadonlyArray<ListedOrderRow>): Html =>
  table<ListedOrderRow>(
    [
      {
        as: "name",
        head: text("proxies.proxy"),
        cell: (order) =>
          html`<a href="${pathTo(`proxies/${order.id}`)}">${proxyName(order)}</a
            >${order.host !== null && html` <code>${order.host}:${order.port ?? ""}</code>`}`
      },
      {
        head: text("proxies.kind"),
        cell: (order) => html`${kindText[order.proxy_type]}<br /><small>${country(order.country)}</small>`
      },
      {
        head: text("proxies.state"),
        cell: (order) => html`${badge(order.proxy_status)}<br /><small>${ends(order, now)}</small>`
      },
      { as: "go", head: html`<span class="hidden">${text("desk.actions")}</span>`, cell: copying }
    ],
    orders
  )

const exporting = (path: string, filter: ProxyFilter): Html =>
  html`<p class="row">
    <span class="quiet">${text("proxies.export")}</span>
    <a href="${path}/export${queryOf(filter, { format: "txt" })}" download>${text("proxies.export_text")}</a>
    <a href="${path}/export${queryOf(filter, { format: "csv" })}" download>${text("proxies.export_csv")}</a>
  </p>`

/** The proxies of an account, newest first. */
export const proxiesPage = (visit: Visit, { counts, filter, orders, part }: Listed): Page => {
  const path = visit.pathTo("proxies")
  const none = html`<p>
    ${counts.total === 0 ? text("proxies.none") : text("proxies.none_matches")}
    <a href="${counts.total === 0 ? visit.pathTo("shop") : path}"
      >${counts.total === 0 ? text("proxies.buy_link") : text("proxies.all_link")}</a
    >
  </p>`
  return deskPage(
    visit,
    {
      title: text("desk.proxies"),
      section: "proxies",
      actions: html`<a class="button primary" href="${visit.pathTo("shop")}"
        >${icon("shop")}${text("proxies.buy_link")}</a
      >`
    },
    html`<div>
        ${tabs(path, filter, counts)}
        <section class="card" aria-label="${text("desk.proxies")}">
          ${orders.length === 0 ? none : listed(visit, orders)}
          ${paging(part, (offset) => `${path}${queryOf(filter, { offset: String(offset) })}`)}
        </section>
      </div>
      ${part.total > 0 && exporting(path, filter)}`
  )
}
