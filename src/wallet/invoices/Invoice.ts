import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import { WalletTransactionId } from "../WalletTransaction.ts"
import { Tax } from "./Tax.ts"

/** The year of the invoice and its position in it. Invoices of sandbox payments begin with `TEST-`. */
export const InvoiceNumber = Schema.String.check(Schema.isPattern(/^(TEST-)?\d{4}-\d{6,10}$/)).pipe(
  Schema.brand("InvoiceNumber")
)
export type InvoiceNumber = typeof InvoiceNumber.Type

/** The number of an invoice or of a credit note. */
export const DocumentNumber = Schema.String.check(Schema.isPattern(/^(TEST-)?(CN-)?\d{4}-\d{6,10}$/)).pipe(
  Schema.brand("InvoiceNumber")
)

const nullable = Schema.NullOr(Schema.String)

/** The seller as the brand names it (docs/brand.md). */
export const Seller = Schema.Struct({
  name: Schema.String,
  company: nullable,
  address: nullable,
  email: nullable,
  url: nullable,
  tax_number: nullable
})
export type Seller = typeof Seller.Type

export const Buyer = Schema.Struct({
  email: nullable,
  name: nullable,
  address: nullable,
  is_business: Schema.Boolean,
  country: nullable,
  tax_number: nullable,
  /** True: staff have checked the tax number. */
  is_checked: Schema.Boolean
})
export type Buyer = typeof Buyer.Type

/** The price of orders, money that stayed in the wallet, or what a credit note takes back. Amounts are gross. */
export const InvoiceLine = Schema.Struct({
  type: Schema.Literals(["order", "deposit", "refund", "correction"]),
  description: Schema.String,
  quantity: Schema.Int,
  unit_price: Schema.BigIntFromString,
  amount: Schema.BigIntFromString
})

/**
 * An invoice of one payment from outside, or a credit note, which takes back all or a part of one. `transaction_id` is the
 * ledger entry that the payment credited. `reversed` is the part of an invoice that refunds and disputes claim. Everything
 * else is a copy that never changes.
 */
export const Invoice = Schema.Struct({
  number: DocumentNumber,
  kind: Schema.Literals(["invoice", "credit_note"]),
  /** The invoice that a credit note takes back, or that this invoice replaces. */
  corrects: Schema.NullOr(DocumentNumber),
  cause: Schema.NullOr(Schema.Literals(["refund", "correction"])),
  user_id: UserId,
  transaction_id: WalletTransactionId,
  issued_at: Schema.DateTimeUtcFromDate,
  paid_at: Schema.DateTimeUtcFromDate,
  seller: Seller,
  buyer: Buyer,
  lines: Schema.Array(InvoiceLine),
  currency: Currency,
  total: Schema.BigInt,
  net: Schema.BigInt,
  tax: Schema.BigInt,
  tax_rule: Tax,
  reversed: Schema.BigInt,
  payment_method: PaymentMethod,
  is_sandbox: Schema.Boolean,
  /** The hash of the stored body's text. */
  sha256: Schema.String
})
export type Invoice = typeof Invoice.Type
