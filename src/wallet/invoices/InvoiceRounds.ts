import { Cause, DateTime, Effect, Layer, Predicate, Schedule } from "effect"
import * as Failure from "../../platform/errors/Failure.ts"
import * as Job from "../../platform/Job.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { type Due, InvoiceIssuesRepo } from "./InvoiceIssuesRepo.ts"
import * as IssueInvoices from "./IssueInvoices.ts"
import { TaxRatesRepo } from "./TaxRatesRepo.ts"

const batch = 100
/** The time until documents that cannot be made are tried again. */
const again = { minutes: 10 }

/** Issues the documents that are due: invoices of payments, and credit notes of what went back. */
export const run = Effect.gen(function* () {
  const atomically = yield* Atomically
  const issuing = yield* IssueInvoices.make
  const repo = yield* InvoiceIssuesRepo

  /** Issues what a payment lacks. The rows of the queue go with the documents, so a kill loses and repeats nothing. */
  const settle = Effect.fnUntraced(function* ({ ids, transaction_id, user_id }: Due) {
    yield* issuing.issue(user_id, transaction_id)
    yield* atomically(Effect.andThen(issuing.settle(user_id, transaction_id), repo.done(ids)))
  })

  const postpone = Effect.fnUntraced(function* ({ ids }: Due) {
    yield* repo.postpone(ids, DateTime.add(yield* DateTime.now, again))
  })

  const failed = (due: Due, cause: Cause.Cause<unknown>) =>
    Effect.andThen(
      Effect.logError(...Failure.logLine(`Cannot issue documents of payment ${due.transaction_id}`, cause)),
      postpone(due)
    )

  /** Returns 1 when the payment waits for a tax rate. */
  const attempt = (due: Due) =>
    settle(due).pipe(
      Effect.as(0),
      Effect.catchTag("TaxRateMissing", () => Effect.as(postpone(due), 1)),
      Effect.catchCauseIf(Predicate.not(Cause.hasInterruptsOnly), (cause) => Effect.as(failed(due, cause), 0))
    )

  let [taken, waiting] = [batch, 0]
  while (taken === batch) {
    const due = yield* repo.due(yield* DateTime.now, batch)
    for (const one of due) waiting += yield* attempt(one)
    taken = due.reduce((sum, { ids }) => sum + ids.length, 0)
  }
  if (waiting > 0) yield* Effect.logError(`${waiting} payments wait for a tax rate of their day (docs/invoices.md)`)
})

export const layer = Job.layer("InvoiceRounds", Schedule.spaced("5 seconds"), run).pipe(
  Layer.provide([InvoiceIssuesRepo.layer, TaxRatesRepo.layer])
)
