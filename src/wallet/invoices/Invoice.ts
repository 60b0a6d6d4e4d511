import { Schema } from "effect"
import { Currency } from "../../platform/Money.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import { WalletTransactionId } from "../WalletTransaction.ts"

/** The year of the invoice and its position in it. Invoices of sandbox payments begin with `TEST-`. */
export const InvoiceNumber = Schema.String.check(Schema.isPattern(/^(TEST-)?\d{4}-\d{6,10}$/)).pipe(
  Schema.brand("InvoiceNumber")
)
export type InvoiceNumber = typeof InvoiceNumber.Type

const nullable = Schema.NullOr(Schema.String)

/** The seller as the brand names it (docs/brand.md). */
export const Seller = Schema.Struct({
  name: Schema.String,
  company: nullable,
  address: nullable,
  email: nullable,
  url: nullable
})
export type Seller = typeof Seller.Type

export const Buyer = Schema.Struct({ email: nullable, name: nullable, address: nullable })

/** The price of orders, or money that stayed in the wallet. Amounts are in the unit of the currency. */
const InvoiceLine = Schema.Struct({
  type: Schema.Literals(["order", "deposit"]),
  description: Schema.String,
  quantity: Schema.Int,
  unit_price: Schema.BigIntFromString,
  amount: Schema.BigIntFromString
})

/**
 * The invoice of one payment from outside. `transaction_id` is the ledger entry that the payment credited. `reversed` is the
 * part of `total` that refunds and disputes claim.
 */
export const Invoice = Schema.Struct({
  number: InvoiceNumber,
  transaction_id: WalletTransactionId,
  issued_at: Schema.DateTimeUtcFromDate,
  paid_at: Schema.DateTimeUtcFromDate,
  seller: Seller,
  buyer: Buyer,
  lines: Schema.Array(InvoiceLine),
  currency: Currency,
  total: Schema.BigInt,
  reversed: Schema.BigInt,
  payment_method: PaymentMethod,
  is_sandbox: Schema.Boolean
})
export type Invoice = typeof Invoice.Type
