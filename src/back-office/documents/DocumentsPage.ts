import { field, type Option, select } from "../../pages/Field.ts"
import { date } from "../../pages/Format.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import type { StaffDocument } from "../../staff/documents/StaffDocument.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { amount } from "../desk/Amount.ts"
import { shortId } from "../desk/ShortId.ts"

const kinds = {
  invoice: text("documents.invoice"),
  credit_note: text("invoices.credit_note")
} satisfies Record<StaffDocument["kind"], Phrase>

const kindOptions: ReadonlyArray<Option> = [["", text("documents.every_kind")], ...Object.entries(kinds)]

interface Search {
  readonly q: string
  readonly kind: string
}

const listed = ({ pathTo }: AdminVisit, items: ReadonlyArray<StaffDocument>): Content =>
  table<StaffDocument>(
    [
      {
        head: text("invoices.number"),
        as: "name",
        cell: ({ cause, corrects, is_sandbox, kind, number }) =>
          html`<a href="${pathTo(`documents/${number}`)}">${number}</a>
            <span class="mark">${kinds[kind]}</span>
            ${is_sandbox && html`<span class="mark unknown">${text("invoices.sandbox")}</span>`}
            ${corrects !== null && html`<small>${cause === null ? text("invoices.replaces") : text("invoices.corrects")} ${corrects}</small>`}`
      },
      {
        head: text("customers.customer"),
        label: text("customers.customer"),
        cell: ({ buyer, user_id }) =>
          html`<a href="${pathTo(`customers/${user_id}`)}"
            ><bdi>${buyer.name ?? buyer.email ?? shortId(user_id)}</bdi></a
          >`
      },
      {
        head: text("invoices.issued"),
        label: text("invoices.issued"),
        cell: ({ issued_at }) => date(issued_at)
      },
      {
        head: text("documents.tax"),
        label: text("documents.tax"),
        as: "number",
        cell: ({ currency, tax }) => amount(currency, tax)
      },
      {
        head: text("invoices.total"),
        label: text("invoices.total"),
        as: "number",
        cell: ({ currency, total }) => amount(currency, total)
      }
    ],
    items
  )

/** The search of documents, the newest first. */
export const documentsPage = (
  visit: AdminVisit,
  { kind, q }: Search,
  { items, next }: { readonly items: ReadonlyArray<StaffDocument>; readonly next: string | null }
): Page =>
  adminPage(
    visit,
    {
      title: text("documents.title"),
      section: "documents",
      lead: text("documents.lead"),
      actions: html`<a class="button" href="${visit.pathTo("taxes")}">${text("taxes.title")}</a>`
    },
    html`<form class="card stack" method="get" action="${visit.pathTo("documents")}" role="search">
        ${field({
          name: "q",
          label: text("documents.query"),
          hint: text("documents.query_hint"),
          type: "search",
          autocomplete: "off",
          optional: true,
          value: q
        })}
        ${select({ name: "kind", label: text("documents.kind"), options: kindOptions, value: kind })}
        <div><button class="primary">${text("documents.button")}</button></div>
      </form>
      <section class="card stack" aria-label="${text("documents.title")}">
        ${items.length === 0 ? html`<p>${text("documents.none")}</p>` : listed(visit, items)}
        ${
          next !== null &&
          html`<p>
            <a
              class="button small"
              href="${visit.pathTo("documents")}?${new URLSearchParams({ q, kind, after: next }).toString()}"
              >${text("admin.next_page")}</a
            >
          </p>`
        }
      </section>`
  )
