import { date, money, number } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import type { Invoice } from "../../wallet/invoices/Invoice.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { methodText } from "../desk/MethodText.ts"
import type { Visit } from "../desk/Visit.ts"

type Line = Invoice["lines"][number]

/** A seller or a buyer, with a line for each part of the name and the address. */
const party = (title: Phrase, parts: ReadonlyArray<string | null>): Html =>
  html`<section class="tile">
    <h2>${title}</h2>
    <p>${parts.flatMap((part) => part?.split("\n") ?? []).map((line) => html`<bdi>${line}</bdi><br />`)}</p>
  </section>`

const facts = ({ issued_at, number, paid_at, payment_method }: Invoice): Html =>
  html`<dl class="facts left">
    <dt>${text("invoices.number")}</dt>
    <dd>${number}</dd>
    <dt>${text("invoices.issued")}</dt>
    <dd>${date(issued_at)}</dd>
    <dt>${text("invoices.paid")}</dt>
    <dd>${date(paid_at)}</dd>
    <dt>${text("invoices.method")}</dt>
    <dd>${methodText[payment_method]}</dd>
  </dl>`

const linesOf = ({ currency, lines }: Invoice): Html =>
  table<Line>(
    [
      {
        as: "name",
        head: text("invoices.description"),
        cell: ({ description, type }) =>
          type === "deposit" ? text("invoices.line_deposit") : html`<bdi>${description}</bdi>`
      },
      {
        as: "number",
        head: text("invoices.quantity"),
        label: text("invoices.quantity"),
        cell: ({ quantity }) => number(quantity)
      },
      {
        as: "number",
        head: text("invoices.unit_price"),
        label: text("invoices.unit_price"),
        cell: ({ unit_price }) => money(currency, unit_price)
      },
      {
        as: "number",
        head: text("invoices.amount"),
        label: text("invoices.amount"),
        cell: ({ amount }) => money(currency, amount)
      }
    ],
    lines
  )

const notes = ({ currency, is_sandbox, reversed }: Invoice): Content => [
  is_sandbox && html`<p class="note">${text("invoices.sandbox_note")}</p>`,
  reversed > 0n && html`<p class="note">${text("invoices.reversed_note", { amount: money(currency, reversed) })}</p>`
]

/** One invoice, made for printing. */
export const invoicePage = (visit: Visit, invoice: Invoice): Page => {
  const { buyer, currency, number, seller, total } = invoice
  return deskPage(
    visit,
    {
      title: text("invoices.one_title", { number }),
      section: "wallet",
      back: [visit.pathTo("wallet/invoices"), text("invoices.title")]
    },
    html`<section class="card stack" aria-label="${text("invoices.one_title", { number })}">
        ${notes(invoice)} ${facts(invoice)}
        <div class="tiles">
          ${party(text("invoices.seller"), [seller.name, seller.company, seller.address, seller.email, seller.url])}
          ${party(text("invoices.buyer"), [buyer.name, buyer.address, buyer.email])}
        </div>
        ${linesOf(invoice)}
        <dl class="facts">
          <dt class="total">${text("invoices.total")}</dt>
          <dd class="total">${money(currency, total)}</dd>
        </dl>
      </section>
      <p class="quiet unprinted">${text("invoices.print")}</p>`
  )
}
