import { ConfigProvider, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../../src/accounts/User.ts"
import type { DisputeReport, Reversed } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { Documents } from "../../../src/wallet/invoices/Documents.ts"
import { InvoiceIssuesRepo } from "../../../src/wallet/invoices/InvoiceIssuesRepo.ts"
import * as InvoiceRounds from "../../../src/wallet/invoices/InvoiceRounds.ts"
import { Invoices } from "../../../src/wallet/invoices/Invoices.ts"
import { TaxRateId } from "../../../src/wallet/invoices/TaxRate.ts"
import { TaxRatesRepo } from "../../../src/wallet/invoices/TaxRatesRepo.ts"
import { TaxRecords } from "../../../src/wallet/invoices/TaxRecords.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { deposited, servicesWith } from "../payments/PaymentsTesting.ts"

const settingsOf = (settings: Record<string, string>) => ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings))

/** The services of documents with these settings. */
export const test = (settings: Record<string, string>) =>
  Layer.mergeAll(Documents.layer, InvoiceIssuesRepo.layer, Invoices.layer, TaxRatesRepo.layer, TaxRecords.layer).pipe(
    Layer.provideMerge(servicesWith(settings)),
    Layer.provideMerge(settingsOf(settings))
  )

/** A round of the job after the time in which a payer can give an address. */
export const round = Effect.andThen(TestClock.adjust("10 minutes"), InvoiceRounds.run)

export const documentsOf = (user: UserId) =>
  Effect.map(
    Invoices.use((invoices) => invoices.documents(user, { limit: 100, offset: 0 })),
    ({ invoices }) => invoices.toReversed()
  )

export const stored = (user: UserId) =>
  SqlClient.SqlClient.use((sql) =>
    Effect.map(
      sql<{ what: string }>`
        SELECT kind || ' ' || total / 1000000 || coalesce(' ' || cause, '') AS what FROM invoice WHERE user_id = ${user}
        ORDER BY issued_at, kind DESC, position
      `,
      (rows) => rows.map(({ what }) => what)
    )
  )

export const queued = SqlClient.SqlClient.use((sql) => Effect.map(sql`SELECT FROM invoice_due`, ({ length }) => length))

type Told = Partial<Omit<Reversed, "_tag" | "dispute">> & { readonly state?: DisputeReport["state"] }

export const payer = Effect.gen(function* () {
  const gateways = yield* MemoryPaymentGateways
  const payments = yield* Payments
  const { deposit, id, pay, user } = yield* deposited
  yield* pay()
  const intent = deposit.payment_intent_id
  const back = ({ state, ...change }: Told) =>
    payments.receive(
      "card_gateway",
      gateways.reverse(intent, {
        charge_id: `charge_${intent}`,
        reversal_id: `re_${user}`,
        kind: "refund",
        status: "taken",
        amount: null,
        ...change,
        ...(state !== undefined && { dispute: { state, reason: null, answer_by: null } })
      })
    )
  return { back, id, pay, user }
})

export const rate = (country: string, rate_bp: number, valid_from = "2000-01-01", note: string | null = null) =>
  TaxRecords.use((taxes) =>
    taxes.recordRate(TaxRateId.make(randomUUID()), { country, rate_bp, valid_from, note }, "Ada")
  )
