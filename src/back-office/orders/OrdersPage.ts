import { field } from "../../pages/Field.ts"
import { country, moment, money } from "../../pages/Format.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import type { FoundOrder } from "../../staff/orders/FoundOrder.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerName } from "../desk/CustomerName.ts"
import { shortId } from "../desk/ShortId.ts"
import { orderState, proxyText } from "../desk/StateText.ts"

interface Found {
  readonly items: ReadonlyArray<FoundOrder>
  readonly next: string | null
}

const listed = ({ pathTo }: AdminVisit, items: Found["items"]) =>
  table<FoundOrder>(
    [
      {
        head: text("customer.order"),
        as: "name",
        cell: ({ country: code, id, ip_version, provider, proxy_type }) =>
          html`<a href="${pathTo(`orders/${id}`)}">${text("customer.order")} ${shortId(id)}</a>
            <small><code>${provider} ${proxy_type} ${ip_version}</code> ${country(code)}</small>`
      },
      {
        head: text("customers.customer"),
        label: text("customers.customer"),
        cell: ({ email, user_id }) =>
          html`<a href="${pathTo(`customers/${user_id}`)}">${customerName({ email, id: user_id })}</a>`
      },
      {
        head: text("admin.state"),
        label: text("admin.state"),
        cell: ({ proxy_status, status }) => html`${orderState(status)} <small>${proxyText[proxy_status]}</small>`
      },
      {
        head: text("customer.created"),
        label: text("customer.created"),
        cell: ({ created_at }) => moment(created_at)
      },
      {
        head: text("customer.price"),
        label: text("customer.price"),
        as: "number",
        cell: ({ currency, total }) => money(currency, total)
      }
    ],
    items
  )

/** The newest orders, or those that words name. */
export const ordersPage = (visit: AdminVisit, words: string, { items, next }: Found): Page => {
  const path = visit.pathTo("orders")
  return adminPage(
    visit,
    { title: text("orders.title"), section: "orders", lead: text("orders.lead") },
    html`<form class="card stack" method="get" action="${path}" role="search">
        ${field({ name: "q", label: text("orders.query"), hint: text("orders.query_hint"), type: "search", autocomplete: "off", value: words, optional: true })}
        <div><button class="primary">${text("orders.find_button")}</button></div>
      </form>
      ${items.length === 0 ? html`<p role="status">${text("orders.none")}</p>` : listed(visit, items)}
      ${
        next !== null &&
        html`<p>
          <a
            class="button"
            href="${path}?${new URLSearchParams({ ...(words !== "" && { q: words }), after: next }).toString()}"
            >${text("orders.older")}</a
          >
        </p>`
      }`
  )
}
