import { Context, Effect, Layer, Option } from "effect"
import type { Invoice, InvoiceNumber } from "./Invoice.ts"
import { InvoiceNotFound, type InvoiceReplaced, type TaxRateMissing } from "./InvoiceErrors.ts"
import { InvoiceIssuesRepo } from "./InvoiceIssuesRepo.ts"
import { type DocumentFilter, InvoicesRepo } from "./InvoicesRepo.ts"
import * as IssueInvoices from "./IssueInvoices.ts"
import { TaxRatesRepo } from "./TaxRatesRepo.ts"

/** The documents of all accounts, for staff. */
export class Documents extends Context.Service<
  Documents,
  {
    /** Lists documents, newest first. */
    readonly search: (filter: DocumentFilter, limit: number) => Effect.Effect<ReadonlyArray<Invoice>>
    readonly find: (number: InvoiceNumber) => Effect.Effect<Invoice, InvoiceNotFound>
    /**
     * Takes an invoice back with a credit note and issues it again, with the present details of the buyer and the recorded rates
     * of the day of its payment. Returns the new one.
     */
    readonly reissue: (
      number: InvoiceNumber
    ) => Effect.Effect<Invoice, InvoiceNotFound | InvoiceReplaced | TaxRateMissing>
  }
>()("app/wallet/Documents") {
  static readonly layerNoDeps = Layer.effect(
    Documents,
    Effect.gen(function* () {
      const repo = yield* InvoicesRepo
      const issuing = yield* IssueInvoices.make

      const find = Effect.fn("Documents.find")(function* (number: InvoiceNumber) {
        return Option.getOrUndefined(yield* repo.findAny(number)) ?? (yield* new InvoiceNotFound())
      })

      const reissue = Effect.fn("Documents.reissue")(function* (number: InvoiceNumber) {
        const { transaction_id, user_id } = yield* find(number)
        return yield* find(yield* issuing.reissue(user_id, transaction_id, number))
      })

      return Documents.of({ find, reissue, search: repo.search })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([InvoiceIssuesRepo.layer, InvoicesRepo.layer, TaxRatesRepo.layer])
  )
}
