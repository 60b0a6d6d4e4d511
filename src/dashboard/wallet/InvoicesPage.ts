import { date, money } from "../../pages/Format.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paging, type Part } from "../../pages/Paging.ts"
import { table } from "../../pages/Table.ts"
import type { Invoice } from "../../wallet/invoices/Invoice.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { methodText } from "../desk/MethodText.ts"
import type { Visit } from "../desk/Visit.ts"

const state = ({ currency, is_sandbox, kind, reversed }: Invoice): Content => [
  kind === "credit_note" && html` <span class="mark">${text("invoices.credit_note")}</span>`,
  is_sandbox && html` <span class="mark unknown">${text("invoices.sandbox")}</span>`,
  reversed > 0n && html` <span class="mark">${text("invoices.reversed", { amount: money(currency, reversed) })}</span>`
]

/** The invoices and credit notes of an account, newest first. */
export const invoicesPage = (visit: Visit, invoices: ReadonlyArray<Invoice>, part: Part): Page => {
  const path = visit.pathTo("wallet/invoices")
  return deskPage(
    visit,
    {
      title: text("invoices.title"),
      section: "wallet",
      back: [visit.pathTo("wallet"), text("desk.wallet")],
      lead: text("invoices.about"),
      actions: html`<a class="button" href="${visit.pathTo("wallet/billing")}">${text("billing.title")}</a>`
    },
    html`<section class="card" aria-label="${text("invoices.title")}">
      ${
        invoices.length === 0
          ? html`<p>${text("invoices.none")}</p>`
          : html`${table<Invoice>(
              [
                {
                  as: "name",
                  head: text("invoices.number"),
                  cell: (invoice) => html`<a href="${path}/${invoice.number}">${invoice.number}</a>${state(invoice)}`
                },
                { head: text("invoices.method"), cell: ({ payment_method }) => methodText[payment_method] },
                { head: text("invoices.paid"), cell: ({ paid_at }) => date(paid_at) },
                {
                  as: "number",
                  head: text("invoices.total"),
                  cell: ({ currency, total }) => money(currency, total)
                }
              ],
              invoices
            )}
            ${paging(part, (offset) => `${path}?offset=${offset}`)}`
      }
    </section>`
  )
}
