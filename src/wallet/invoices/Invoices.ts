import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import type { Page } from "../../platform/fields/Page.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"
import type { BillingDetails } from "./BillingDetails.ts"
import { BillingDetailsRepo } from "./BillingDetailsRepo.ts"
import type { Invoice, InvoiceNumber } from "./Invoice.ts"
import { InvoiceNotFound } from "./InvoiceErrors.ts"
import { InvoiceIssuesRepo } from "./InvoiceIssuesRepo.ts"
import { InvoicesRepo } from "./InvoicesRepo.ts"
import * as IssueInvoices from "./IssueInvoices.ts"
import { TaxRatesRepo } from "./TaxRatesRepo.ts"

interface Listed {
  readonly invoices: ReadonlyArray<Invoice>
  readonly total: number
}

/**
 * Invoices and credit notes of an account (docs/contract.md, "Wallet and ledger"). The first read of a payment's invoice makes
 * it, if the job has not, so that payments do not wait for each other at the counter of the year.
 */
export class Invoices extends Context.Service<
  Invoices,
  {
    /** Lists the invoices of all payments, newest first: the last one of each payment. */
    readonly list: (owner: UserId, page: Page) => Effect.Effect<Listed>
    /** Lists invoices, also replaced ones, and credit notes, newest first. */
    readonly documents: (owner: UserId, page: Page) => Effect.Effect<Listed>
    /** Gets an invoice or a credit note. One of another account is not found. */
    readonly get: (owner: UserId, number: InvoiceNumber) => Effect.Effect<Invoice, InvoiceNotFound>
    /** Gets the invoice of the payment that a ledger entry credits. */
    readonly ofTransaction: (owner: UserId, id: WalletTransactionId) => Effect.Effect<Invoice, InvoiceNotFound>
    readonly billingDetails: (owner: UserId) => Effect.Effect<BillingDetails>
    /** Sets the details for the invoices that are made later. */
    readonly setBillingDetails: (owner: UserId, details: BillingDetails) => Effect.Effect<void>
  }
>()("app/wallet/Invoices") {
  static readonly layerNoDeps = Layer.effect(
    Invoices,
    Effect.gen(function* () {
      const details = yield* BillingDetailsRepo
      const repo = yield* InvoicesRepo
      const issuing = yield* IssueInvoices.make

      /** A payment before the first rate of the seller's country waits, and holds up no other. */
      const issue = (owner: UserId) => Effect.orDie(issuing.issue(owner))

      const found = Effect.fnUntraced(function* (lookup: Effect.Effect<Option.Option<Invoice>>) {
        return Option.getOrUndefined(yield* lookup) ?? (yield* new InvoiceNotFound())
      })

      const list = Effect.fn("Invoices.list")(function* (owner: UserId, page: Page) {
        yield* issue(owner)
        return { invoices: yield* repo.list(owner, page), total: yield* repo.count(owner) }
      })

      const documents = Effect.fn("Invoices.documents")(function* (owner: UserId, page: Page) {
        yield* issue(owner)
        return { invoices: yield* repo.documents(owner, page), total: yield* repo.countDocuments(owner) }
      })

      const get = Effect.fn("Invoices.get")((owner: UserId, number: InvoiceNumber) => found(repo.find(owner, number)))

      const ofTransaction = Effect.fn("Invoices.ofTransaction")(function* (owner: UserId, id: WalletTransactionId) {
        yield* issue(owner)
        return yield* found(repo.findOf(owner, id))
      })

      const setBillingDetails = Effect.fn("Invoices.setBillingDetails")(function* (
        owner: UserId,
        given: BillingDetails
      ) {
        const { address, country, is_business, name } = given
        const isEmpty = !is_business && name === null && address === null && country === null
        yield* isEmpty ? details.remove(owner) : details.write(owner, given, yield* DateTime.now)
      })

      return Invoices.of({ list, documents, get, ofTransaction, billingDetails: details.find, setBillingDetails })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([BillingDetailsRepo.layer, InvoiceIssuesRepo.layer, InvoicesRepo.layer, TaxRatesRepo.layer])
  )
}
