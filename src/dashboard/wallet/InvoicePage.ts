import { html, localized, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paperHtml } from "../../pages/PaperHtml.ts"
import type { Invoice } from "../../wallet/invoices/Invoice.ts"
import { invoicePaper } from "../../wallet/invoices/InvoicePaper.ts"
import { reversedNote } from "../../wallet/invoices/ReversedNote.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

/** One invoice or credit note, made for printing. */
export const invoicePage = (visit: Visit, invoice: Invoice): Page => {
  const paper = invoicePaper(invoice)
  const note = reversedNote(invoice)
  const path = visit.pathTo("wallet/invoices")
  return deskPage(
    visit,
    {
      title: localized(paper.title),
      section: "wallet",
      back: [path, text("invoices.title")],
      actions: html`<a class="button unprinted" href="${path}/${invoice.number}/file.pdf">${text("invoices.pdf")}</a>`
    },
    html`${note !== null && html`<p class="note unprinted">${localized(note)}</p>`} ${paperHtml(paper)}
      <p class="quiet unprinted">${text("invoices.print")}</p>`
  )
}
