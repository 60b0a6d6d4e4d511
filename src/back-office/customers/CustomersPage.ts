import { field } from "../../pages/Field.ts"
import { date } from "../../pages/Format.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import type { FoundCustomer } from "../../staff/customers/Customer.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { restrictionMark } from "../desk/StateText.ts"

const matched = {
  id: text("customers.matched_id"),
  email: text("customers.matched_email"),
  order: text("customers.matched_order"),
  transaction: text("customers.matched_transaction"),
  payment: text("customers.matched_payment"),
  charge: text("customers.matched_charge"),
  address: text("customers.matched_address"),
  restriction: text("customers.matched_restriction")
} satisfies Record<FoundCustomer["matched_by"], Phrase>

const found = ({ pathTo }: AdminVisit, query: string, items: ReadonlyArray<FoundCustomer>): Content =>
  table<FoundCustomer>(
    [
      {
        head: text("customers.customer"),
        as: "name",
        cell: ({ deleted_at, email, id, name, restriction }) =>
          html`<a href="${pathTo(`customers/${id}`)}">${email ?? text("customers.no_email")}</a>
            ${name !== null && html`<small><bdi>${name}</bdi></small>`}
            ${deleted_at !== null && html`<span class="mark">${text("customers.deleted")}</span>`}
            ${restriction !== null && restrictionMark(restriction)}`
      },
      {
        head: text("customers.matched"),
        label: text("customers.matched"),
        cell: ({ matched_by }) =>
          html`${matched[matched_by]}
          ${matched_by === "order" && html`<small><a href="${pathTo(`orders/${query}`)}">${text("customers.show_order")}</a></small>`}`
      },
      {
        head: text("customers.since"),
        label: text("customers.since"),
        cell: ({ created_at }) => date(created_at)
      }
    ],
    items
  )

/** The search of customers. `items` is undefined before a search. */
export const customersPage = (
  visit: AdminVisit,
  query: string,
  items: ReadonlyArray<FoundCustomer> | undefined
): Page =>
  adminPage(
    visit,
    { title: text("admin.customers"), section: "customers", lead: text("customers.lead") },
    html`<form class="card stack" method="get" action="${visit.pathTo("customers")}" role="search">
        ${field({ name: "q", label: text("customers.query"), hint: text("customers.query_hint"), type: "search", autocomplete: "off", value: query, autofocus: items === undefined })}
        <div><button class="primary">${text("customers.find_button")}</button></div>
      </form>
      ${items?.length === 0 && html`<p role="status">${text("customers.none")}</p>`}
      ${items !== undefined && items.length > 0 && found(visit, query, items)}`
  )
