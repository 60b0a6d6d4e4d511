import { Schema } from "effect"
import * as Money from "../../platform/Money.ts"
import { Invoice, InvoiceLine } from "./Invoice.ts"

const { buyer, cause, corrects, currency, is_sandbox, kind, number, payment_method, seller, sha256, user_id } =
  Invoice.fields

const time = Schema.DateTimeUtcFromString

const amount = Schema.String.annotate({
  description: "A decimal text in the unit of the currency",
  examples: ["25.00"]
})

/** The wire form of an invoice or a credit note with its tax. */
export const DocumentView = Schema.Struct({
  number: number.annotate({ examples: ["2026-000042" as typeof number.Type] }),
  kind,
  corrects: corrects.annotate({
    description: "The invoice that a credit note takes back, or that this invoice replaces"
  }),
  cause: cause.annotate({ description: "Why there is a credit note; null for an invoice" }),
  user_id,
  transaction_id: Invoice.fields.transaction_id.annotate({ description: "The deposit that the payment credited" }),
  issued_at: time,
  paid_at: time,
  seller,
  buyer,
  lines: Schema.Array(Schema.Struct({ ...InvoiceLine.fields, unit_price: amount, amount })),
  currency,
  total: amount.annotate({ description: "With tax. A credit note takes this amount back" }),
  net: amount,
  tax: amount,
  tax_rule: Invoice.fields.tax_rule.annotate({ description: "The rule by which the document is taxed" }),
  reversed: amount.annotate({ description: "The part of an invoice that refunds and disputes claim" }),
  payment_method,
  is_sandbox,
  sha256: sha256.annotate({ description: "The hash of the stored body" })
}).annotate({ identifier: "Document" })

export const documentView = (invoice: Invoice): typeof DocumentView.Type => {
  const decimal = (of: bigint) => Money.toDecimal(invoice.currency, of)
  return {
    ...invoice,
    lines: invoice.lines.map(({ amount, unit_price, ...line }) => ({
      ...line,
      unit_price: decimal(unit_price),
      amount: decimal(amount)
    })),
    total: decimal(invoice.total),
    net: decimal(invoice.net),
    tax: decimal(invoice.tax),
    reversed: decimal(invoice.reversed)
  }
}
