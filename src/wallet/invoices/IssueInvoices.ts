import { DateTime, Effect, Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Brand } from "../../brand/Brand.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"
import { noDetails } from "./BillingDetails.ts"
import type { Buyer, InvoiceNumber, Seller } from "./Invoice.ts"
import { InvoiceReplaced, TaxRateMissing } from "./InvoiceErrors.ts"
import { InvoiceIssuesRepo, type Missing, type NewDocument, type Payment, type Standing } from "./InvoiceIssuesRepo.ts"
import { taxFor, taxIn, taxOfCredit } from "./Tax.ts"
import { TaxRatesRepo } from "./TaxRatesRepo.ts"
import * as TaxSetting from "./TaxSetting.ts"

/** Limit of the invoices that one transaction makes, because it locks the counter of the year. */
const issueAtOnce = 100

const sellerOf = ({ address, company, name, support_email, support_url, tax_number }: Brand): Seller => ({
  name,
  company: company ?? null,
  address: address ?? null,
  email: support_email ?? null,
  url: support_url ?? null,
  tax_number: tax_number ?? null
})

/** The buyer of a payment that arrived after the deletion of its account. */
const nobody: Buyer = { ...noDetails, email: null, is_checked: false }

const rateMissing = (country: string | null) => new TaxRateMissing({ details: { country: country ?? "" } })

type Note = Pick<NewDocument, "cause"> & { readonly cause: "refund" | "correction" }

const descriptions = { refund: "Refund of invoice", correction: "Correction of invoice" } as const

/** A credit note over a part of an invoice, with the seller, the buyer and the rate of the invoice. */
const creditNote = (standing: Standing, amount: bigint, { cause }: Note): NewDocument => ({
  kind: "credit_note",
  corrects: standing.number,
  cause,
  payment: standing,
  lines: [
    {
      type: cause,
      description: `${descriptions[cause]} ${standing.number}`,
      quantity: 1,
      unit_price: amount,
      amount
    }
  ],
  total: amount,
  tax: taxOfCredit(amount, { ...standing, rate_bp: standing.tax_rule.rate_bp }),
  tax_rule: standing.tax_rule,
  seller: standing.seller,
  buyer: standing.buyer
})

/** The invoice of a payment once more, with the content of the one that it replaces. */
const repeated = (standing: Standing): NewDocument => ({
  ...standing,
  kind: "invoice",
  corrects: standing.number,
  cause: null,
  payment: standing
})

/** Makes the function that builds the invoices of payments, with the tax of the day of each payment. */
const makeInvoices = Effect.fnUntraced(function* (setting: TaxSetting.TaxSetting) {
  const rates = yield* TaxRatesRepo
  const seller = sellerOf(yield* Brand)

  const ruleOf = Effect.fnUntraced(function* ({ paid_at }: Payment, buyer: Buyer) {
    const inForce = setting.scheme === "off" ? [] : yield* rates.inForce(paid_at)
    const rule = taxFor(setting, buyer, (country) => inForce.find((rate) => rate.country === country))
    return rule ?? (yield* rateMissing(setting.country))
  })

  return Effect.fnUntraced(function* (
    payments: ReadonlyArray<Payment>,
    buyer: Buyer,
    corrects: InvoiceNumber | null = null
  ) {
    return yield* Effect.forEach(payments, (payment) =>
      Effect.map(ruleOf(payment, buyer), (tax_rule): NewDocument => ({
        kind: "invoice",
        corrects,
        cause: null,
        payment,
        lines: payment.lines,
        total: payment.total,
        tax: taxIn(payment.currency, payment.total, tax_rule.rate_bp),
        tax_rule,
        seller,
        buyer
      }))
    )
  })
})

/** Makes the functions that issue documents. Each locks the account, so that two instances issue nothing twice. */
export const make = Effect.gen(function* () {
  const atomically = yield* Atomically
  const setting = yield* TaxSetting.load
  const { country } = setting
  const invoices = yield* makeInvoices(setting)
  const repo = yield* InvoiceIssuesRepo

  const write = Effect.fnUntraced(function* (documents: ReadonlyArray<NewDocument>) {
    return yield* repo.insert(documents, yield* DateTime.now)
  })

  const credit = Effect.fnUntraced(function* (standing: Standing, amount: bigint, note: Note) {
    if (amount > 0n) yield* write([creditNote(standing, amount, note)])
  })

  /** Takes an invoice back and writes another one. */
  const replace = Effect.fnUntraced(function* (standing: Standing, next: ReadonlyArray<NewDocument>) {
    yield* credit(standing, standing.total - standing.credited, { cause: "correction" })
    const numbers = yield* write(next)
    return numbers[0] ?? (yield* Effect.die(new Error("An invoice was not written")))
  })

  /** Returns the number of invoices that it made. */
  const some = Effect.fnUntraced(function* (missing: Missing) {
    const buyer = (yield* repo.lockBuyer(missing.user_id)) ?? nobody
    const payments = yield* repo.unissued(missing, issueAtOnce)
    return payments.length === 0 ? 0 : (yield* write(yield* invoices(payments, buyer))).length
  }, atomically)

  /** Makes the missing invoices of an account, or that of one payment. Payments before the first tax rate wait. */
  const issue = Effect.fn("Invoices.issue")(function* (user_id: UserId, transaction_id?: WalletTransactionId) {
    const missing = { user_id, transaction_id, country }
    if (!(yield* repo.isMissing(missing))) return
    while ((yield* some(missing)) === issueAtOnce);
  })

  /**
   * Makes the credit note of what is back at the payer. A refund or dispute that was undone replaces the invoice by one with the
   * same content.
   */
  const settle = Effect.fnUntraced(function* (owner: UserId, transaction_id: WalletTransactionId) {
    yield* repo.lockBuyer(owner)
    const found = Effect.gen(function* () {
      return Option.getOrUndefined(yield* repo.standing(transaction_id)) ?? (yield* rateMissing(country))
    })
    const before = yield* found
    if (before.returned < before.credited) yield* replace(before, [repeated(before)])
    const standing = before.returned < before.credited ? yield* found : before
    yield* credit(standing, standing.returned - standing.credited, { cause: "refund" })
  }, atomically)

  /** Issues an invoice again with the present seller, buyer and rates; that of a deleted account keeps its buyer. Returns the number of the new one. */
  const reissue = Effect.fn("Invoices.reissue")(function* (
    owner: UserId,
    transaction_id: WalletTransactionId,
    number: InvoiceNumber
  ) {
    const buyer = yield* repo.lockBuyer(owner)
    const standing = Option.getOrUndefined(yield* repo.standing(transaction_id))
    if (standing?.number !== number) return yield* new InvoiceReplaced()
    const made = yield* replace(standing, yield* invoices([standing], buyer ?? standing.buyer, number))
    yield* settle(owner, transaction_id)
    return made
  }, atomically)

  return { issue, reissue, settle }
})
