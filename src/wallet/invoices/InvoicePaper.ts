import { DateTime } from "effect"
import * as LocalText from "../../brand/LocalText.ts"
import type { Paper } from "../../brand/Paper.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"
import type { Invoice } from "./Invoice.ts"

type Local = LocalText.LocalText

const { money, say } = LocalText

const plain =
  (text: string): Local =>
  () =>
    text

const day =
  (time: DateTime.Utc): Local =>
  (language) =>
    language.day.format(DateTime.toDate(time))

const number =
  (value: number): Local =>
  (language) =>
    language.number.format(value)

const methods: Record<PaymentMethod, Local> = {
  crypto_gateway: say("payment.crypto_gateway"),
  card_gateway: say("payment.card_gateway"),
  messenger_stars: say("payment.messenger_stars")
}

/** The title: without tax an invoice is a receipt. */
const titleOf = ({ kind, number, tax_rule }: Pick<Invoice, "kind" | "number" | "tax_rule">): Local => {
  if (kind === "credit_note") return say("invoices.credit_note_title", { number })
  return tax_rule.scheme === "off" ? say("invoices.receipt_title", { number }) : say("invoices.one_title", { number })
}

const factsOf = ({ corrects, issued_at, kind, number, paid_at, payment_method }: Invoice): Paper["facts"] => [
  [say("invoices.number"), plain(number)],
  [say("invoices.issued"), day(issued_at)],
  ...(corrects === null
    ? []
    : ([
        [kind === "credit_note" ? say("invoices.corrects") : say("invoices.replaces"), plain(corrects)]
      ] satisfies Paper["facts"])),
  [say("invoices.paid"), day(paid_at)],
  [say("invoices.method"), methods[payment_method]]
]

const lines = (parts: ReadonlyArray<string | null>) => parts.flatMap((part) => part?.split("\n") ?? [])

const partiesOf = ({ buyer, seller }: Invoice): Paper["parties"] => [
  [
    say("invoices.seller"),
    lines([seller.name, seller.company, seller.address, seller.tax_number, seller.email, seller.url])
  ],
  [say("invoices.buyer"), lines([buyer.name, buyer.address, buyer.country, buyer.tax_number, buyer.email])]
]

const description = ({ corrects }: Invoice, { description, type }: Invoice["lines"][number]): Local => {
  if (type === "deposit") return say("invoices.line_deposit")
  if (type === "order") return plain(description)
  const number = corrects ?? ""
  return type === "refund" ? say("invoices.line_refund", { number }) : say("invoices.line_correction", { number })
}

const totalsOf = ({ currency, net, tax, tax_rule, total }: Invoice): Paper["totals"] => {
  const whole = [say("invoices.total"), money(currency, total)] as const
  if (tax_rule.scheme === "off") return [whole]
  const rate: Local = (language) => language.percent.format(tax_rule.rate_bp / 10_000)
  return [
    [say("invoices.net"), money(currency, net)],
    [say("invoices.tax", { rate, country: tax_rule.country ?? "" }), money(currency, tax)],
    whole
  ]
}

/** Writes an invoice or a credit note. */
export const invoicePaper = (invoice: Invoice): Paper => {
  const { currency, sha256, tax_rule } = invoice
  return {
    title: titleOf(invoice),
    notes: invoice.is_sandbox ? [say("invoices.sandbox_note")] : [],
    facts: factsOf(invoice),
    parties: partiesOf(invoice),
    heads: [say("invoices.description"), say("invoices.quantity"), say("invoices.unit_price"), say("invoices.amount")],
    rows: invoice.lines.map((line) => [
      description(invoice, line),
      number(line.quantity),
      money(currency, line.unit_price),
      money(currency, line.amount)
    ]),
    totals: totalsOf(invoice),
    foot: [
      ...(tax_rule.reverse_charge ? [say("invoices.reverse_charge")] : []),
      ...(tax_rule.note === null ? [] : [plain(tax_rule.note)]),
      plain(`SHA-256: ${sha256}`)
    ]
  }
}
