import type { OrderCounts } from "../../orders/OrderCounts.ts"
import type { ListedOrderRow } from "../../orders/OrderView.ts"
import { copyButton } from "../../pages/Copying.ts"
import { hidden, select } from "../../pages/Field.ts"
import { country, number } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import { icon } from "../../pages/Icons.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { table } from "../../pages/Table.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { kindName } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { gatewayAddress } from "../payments/PaymentDetails.ts"
import { exportFields, type TypedExport } from "./ExportChoice.ts"
import { kindField, sortField } from "./FilterFields.ts"
import { fieldsOf, type ListFilter, queryOf } from "./ListFilter.ts"
import { addressOf, badge, ends, isUnpaid, linkTo, shortName, shortPlainName } from "./ProxyWords.ts"

interface Listed {
  readonly filter: ListFilter
  readonly counts: OrderCounts
  readonly cancelled: number
  /** The countries to choose from. */
  readonly countries: ReadonlyArray<string>
  readonly orders: ReadonlyArray<ListedOrderRow>
  readonly part: Part
  /** The choice of an export that was refused. */
  readonly typed: TypedExport | undefined
}

/** The tab of the cancelled orders is there when there are any: unpaid ones would fill the list of all. */
const tabs = (path: string, { cancelled, counts, filter: { proxy_status, ...others } }: Listed): Html => {
  const entries = [
    [undefined, text("proxies.all"), counts.total - cancelled],
    ["active", text("proxies.active"), counts.active],
    ["expiring", text("proxies.expiring"), counts.expiring],
    ["expired", text("proxies.expired"), counts.expired],
    ...(cancelled > 0 ? [["cancelled", text("proxies.cancelled"), cancelled] as const] : [])
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

/** The search, the filters and the order of the list. */
const filters = (path: string, { countries, filter }: Listed): Html => {
  const { proxy_status, q = "", sort = "created_at" } = filter
  const offered = new Set([...countries, ...(filter.country === undefined ? [] : [filter.country])])
  return html`<form class="filters" action="${path}">
    <div class="field">
      <label for="q">${text("proxy_list.search")}</label>
      <input
        id="q"
        name="q"
        type="search"
        autocomplete="off"
        maxlength="100"
        value="${q}"
        placeholder="${text("proxy_list.search_in")}"
      />
    </div>
    ${kindField({ value: filter.proxy_type ?? "", submits: true })}
    ${select({
      name: "country",
      label: text("proxy_list.country"),
      value: filter.country ?? "",
      submits: true,
      options: [["", text("proxies.all")], ...[...offered].map((code) => [code, country(code)] as const)]
    })}
    ${select({
      name: "auto_renew",
      label: text("proxy_list.auto_renew"),
      value: String(filter.auto_renew ?? ""),
      submits: true,
      options: [
        ["", text("proxies.all")],
        ["true", text("proxy_list.auto_renew_on")],
        ["false", text("proxy_list.auto_renew_off")]
      ]
    })}
    ${sortField({ value: sort, submits: true })} ${proxy_status !== undefined && hidden("proxy_status", proxy_status)}
    <button>${text("proxy_list.search_button")}</button>
  </form>`
}

const copying = (order: ListedOrderRow): Content => {
  const address = addressOf(order)
  return address !== undefined && copyButton(address, shortPlainName(order))
}

const payOrCancel = ({ pathTo }: Visit, { id, payment_intent_id, payment_url }: ListedOrderRow): Html => {
  const address = gatewayAddress({ payment_url }) ?? pathTo(`payments/${payment_intent_id}`)
  return html`<a href="${address}">${text("proxies.pay_link")}</a>
    <a href="${pathTo(`proxies/${id}/cancel`)}">${text("proxies.cancel_link")}</a>`
}

const listed = (visit: Visit, orders: ReadonlyArray<ListedOrderRow>): Html => {
  const { now } = visit
  return table<ListedOrderRow>(
    [
      {
        as: "tick",
        head: html`<label
          ><input type="checkbox" data-all="id" /><span class="hidden">${text("proxy_list.choose_all")}</span></label
        >`,
        cell: (order) =>
          html`<label
            ><input type="checkbox" name="id" value="${order.id}" /><span class="hidden"
              >${text("proxy_list.choose", { name: shortName(order) })}</span
            ></label
          >`
      },
      {
        as: "name",
        head: text("proxies.proxy"),
        cell: (order) => linkTo(visit, order)
      },
      {
        head: text("proxies.kind"),
        cell: (order) => html`${kindName(order)} <br /><small>${country(order.country)}</small>`
      },
      {
        head: text("proxies.state"),
        cell: (order) =>
          html`${badge(order)}<br /><small>${isUnpaid(order) ? payOrCancel(visit, order) : ends(order, now)}</small>`
      },
      { as: "go", head: html`<span class="hidden">${text("desk.actions")}</span>`, cell: copying }
    ],
    orders
  )
}

/** The list as a form that leads to what can be done with the chosen proxies. */
const choosing = (visit: Visit, orders: ReadonlyArray<ListedOrderRow>): Html =>
  html`<form action="${visit.pathTo("proxies/chosen")}">
    ${listed(visit, orders)}
    <div class="bulk">
      <span class="hint">${text("proxy_list.chosen_hint")}</span>
      <div class="row"><button>${text("proxy_list.chosen_button")}</button></div>
    </div>
  </form>`

const exporting = ({ pathTo }: Visit, { filter, typed }: Listed): Html =>
  html`<section class="card stack" aria-labelledby="export">
    <h2 id="export">${text("proxy_list.export_title")}</h2>
    <p class="hint">
      ${filter.proxy_status === undefined ? text("proxy_list.export_running") : text("proxy_list.export_listed")}
      <a href="${pathTo("proxies/links")}">${text("proxy_list.links_link")}</a>
    </p>
    <form class="stack" action="${pathTo("proxies/export")}">
      ${fieldsOf(filter).map(([name, value]) => hidden(name, value))} ${exportFields(typed)}
      <div><button>${text("proxy_list.export_button")}</button></div>
    </form>
  </section>`

const isFiltered = ({ auto_renew, country, proxy_status, proxy_type, q }: ListFilter) =>
  [auto_renew, country, proxy_status, proxy_type, q].some((value) => value !== undefined)

/** The proxies of an account. */
export const proxiesPage = (visit: Visit, shown: Listed): Page => {
  const { counts, filter, orders, part, typed } = shown
  const path = visit.pathTo("proxies")
  const isNew = counts.total === 0 && !isFiltered(filter)
  const none = html`<p>
    ${isNew ? text("proxies.none") : text("proxies.none_matches")}
    <a href="${isNew ? visit.pathTo("shop") : path}">${isNew ? text("proxies.buy_link") : text("proxies.all_link")}</a>
  </p>`
  return deskPage(
    visit,
    {
      title: text("desk.proxies"),
      section: "proxies",
      ...(typed?.faults !== undefined && { faults: typed.faults }),
      actions: html`<a class="button primary" href="${visit.pathTo("shop")}"
        >${icon("shop")}${text("proxies.buy_link")}</a
      >`
    },
    html`${!isNew && filters(path, shown)}
      <div class="stack" id="list" data-part>
        <div>
          ${tabs(path, shown)}
          <section class="card" aria-label="${text("desk.proxies")}">
            ${orders.length === 0 ? none : choosing(visit, orders)}
            ${paging(part, (offset) => `${path}${queryOf(filter, { offset: String(offset) })}`)}
          </section>
        </div>
        ${part.total > 0 && filter.proxy_status !== "cancelled" && exporting(visit, shown)}
      </div>`
  )
}
