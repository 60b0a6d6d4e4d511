import { field, type Option, select } from "../../pages/Field.ts"
import { moment, money } from "../../pages/Format.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { StaffPayment } from "../../staff/payments/StaffPayment.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerName } from "../desk/CustomerName.ts"
import { methodText, paymentState } from "../desk/StateText.ts"

interface Found {
  readonly items: ReadonlyArray<StaffPayment>
  readonly next: string | null
}

/** The filters of the list, as the query of the page has them. */
interface Filters {
  readonly q: string
  readonly status: string
  readonly method: string
}

const { payment_method, status } = StaffPayment.fields
const any: Option = ["", text("staff_payment.any")]

const listed = ({ pathTo }: AdminVisit, items: Found["items"]) =>
  table<StaffPayment>(
    [
      {
        head: text("customer.payment"),
        as: "name",
        cell: ({ external_reference, id, payment_method }) =>
          html`<a href="${pathTo(`payments/${id}`)}">${methodText(payment_method)}</a>
            <small><code>${external_reference ?? id}</code></small>`
      },
      {
        head: text("customers.customer"),
        label: text("customers.customer"),
        cell: ({ email, user_id }) =>
          html`<a href="${pathTo(`customers/${user_id}`)}">${customerName({ email, id: user_id })}</a>`
      },
      { head: text("admin.state"), label: text("admin.state"), cell: ({ status }) => paymentState(status) },
      {
        head: text("customer.created"),
        label: text("customer.created"),
        cell: ({ created_at }) => moment(created_at)
      },
      {
        head: text("customer.amount"),
        label: text("customer.amount"),
        as: "number",
        cell: ({ amount, currency }) => money(currency, amount)
      }
    ],
    items
  )

/** The newest payments, or those that fit the filters. */
export const paymentsPage = (visit: AdminVisit, filters: Filters, { items, next }: Found): Page => {
  const path = visit.pathTo("payments")
  const asked = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== ""))
  return adminPage(
    visit,
    { title: text("staff_payment.title"), section: "payments", lead: text("staff_payment.lead") },
    html`<form class="card stack" method="get" action="${path}" role="search">
        ${field({ name: "q", label: text("orders.query"), hint: text("staff_payment.query_hint"), type: "search", autocomplete: "off", value: filters.q, optional: true })}
        <div class="row">
          ${select({ name: "status", label: text("staff_payment.state"), value: filters.status, options: [any, ...status.literals.map((one): Option => [one, paymentState(one)])] })}
          ${select({ name: "method", label: text("staff_payment.method"), value: filters.method, options: [any, ...payment_method.literals.map((one): Option => [one, methodText(one)])] })}
        </div>
        <div><button class="primary">${text("orders.find_button")}</button></div>
      </form>
      ${items.length === 0 ? html`<p role="status">${text("staff_payment.none")}</p>` : listed(visit, items)}
      ${
        next !== null &&
        html`<p>
          <a class="button" href="${path}?${new URLSearchParams({ ...asked, after: next }).toString()}"
            >${text("orders.older")}</a
          >
        </p>`
      }`
  )
}
