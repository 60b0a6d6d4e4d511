import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import { Brand } from "../../brand/Brand.ts"
import type { Page } from "../../platform/fields/Page.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"
import type { BillingDetails } from "./BillingDetails.ts"
import { BillingDetailsRepo } from "./BillingDetailsRepo.ts"
import type { Invoice, InvoiceNumber, Seller } from "./Invoice.ts"
import { InvoiceNotFound } from "./InvoiceErrors.ts"
import { InvoicesRepo } from "./InvoicesRepo.ts"

/** Limit of the invoices that one transaction makes, because it locks the counter of the year. */
const issueAtOnce = 100

const sellerOf = ({ address, company, name, support_email, support_url }: Brand): Seller => ({
  name,
  company: company ?? null,
  address: address ?? null,
  email: support_email ?? null,
  url: support_url ?? null
})

/** Makes the function that makes the missing invoices of an account. */
const makeIssue = Effect.gen(function* () {
  const atomically = yield* Atomically
  const repo = yield* InvoicesRepo
  const seller = sellerOf(yield* Brand)

  /** Returns the number of invoices that it made. A deleted account gets none. */
  const some = Effect.fnUntraced(function* (owner: UserId) {
    const buyer = Option.getOrUndefined(yield* repo.lockBuyer(owner))
    return buyer === undefined ? 0 : yield* repo.issue(owner, { buyer, seller }, yield* DateTime.now, issueAtOnce)
  }, atomically)

  return Effect.fn("Invoices.issue")(function* (owner: UserId) {
    if (!(yield* repo.isMissing(owner))) return
    while ((yield* some(owner)) === issueAtOnce);
  })
})

/**
 * Invoices of payments from outside (docs/contract.md, "Wallet and ledger"). The first read of a payment's invoice makes it,
 * so that payments do not wait for each other at the counter of the year.
 */
export class Invoices extends Context.Service<
  Invoices,
  {
    /** Lists the invoices of all payments, newest first. */
    readonly list: (
      owner: UserId,
      page: Page
    ) => Effect.Effect<{ readonly invoices: ReadonlyArray<Invoice>; readonly total: number }>
    /** An invoice of another account is not found. */
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
      const issue = yield* makeIssue

      const found = Effect.fnUntraced(function* (lookup: Effect.Effect<Option.Option<Invoice>>) {
        return Option.getOrUndefined(yield* lookup) ?? (yield* new InvoiceNotFound())
      })

      const list = Effect.fn("Invoices.list")(function* (owner: UserId, page: Page) {
        yield* issue(owner)
        return { invoices: yield* repo.list(owner, page), total: yield* repo.count(owner) }
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
        yield* given.name === null && given.address === null
          ? details.remove(owner)
          : details.write(owner, given, yield* DateTime.now)
      })

      return Invoices.of({ list, get, ofTransaction, billingDetails: details.find, setBillingDetails })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([BillingDetailsRepo.layer, InvoicesRepo.layer]))
}
