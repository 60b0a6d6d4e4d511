import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { PaymentIntentId } from "./PaymentIntent.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { type SandboxDecision, SandboxPayment } from "./SandboxPayment.ts"

/** The payments of the sandbox gateway. */
export class SandboxGatewayRepo extends Context.Service<SandboxGatewayRepo>()("app/wallet/SandboxGatewayRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const row = Rows.first(SandboxPayment)
    const rows = Rows.all(SandboxPayment)
    const payments = sql.literal(`
      SELECT i.*, s.secret, s.outcome,
        EXISTS (SELECT FROM payment_charge c WHERE c.payment_intent_id = i.id) AS is_charged
      FROM sandbox_payment s JOIN payment_intent i ON i.id = s.payment_intent_id
    `)

    const reported = Effect.fnUntraced(function* (id: PaymentIntentId) {
      const change = { reported_at: DateTime.toDate(yield* DateTime.now) }
      yield* sql`UPDATE sandbox_payment SET ${sql.update(change)} WHERE payment_intent_id = ${id}`
    }, Effect.orDie)

    return {
      insert: (payment_intent_id: PaymentIntentId, secret: string) =>
        Effect.orDie(
          sql`INSERT INTO sandbox_payment ${sql.insert({ payment_intent_id, secret })} ON CONFLICT DO NOTHING`
        ),
      find: (id: PaymentIntentId) => row(sql`${payments} WHERE s.payment_intent_id = ${id}`),
      /** Stores the first decision; a later one changes nothing. */
      decide: (id: PaymentIntentId, outcome: SandboxDecision) =>
        Effect.orDie(
          sql`UPDATE sandbox_payment SET outcome = ${outcome} WHERE payment_intent_id = ${id} AND outcome IS NULL`
        ),
      reported,
      /** Decided payments that are not reported yet and whose id is greater than `last`, in the order of their ids. */
      unreported: (limit: number, last: PaymentIntentId | undefined) =>
        rows(sql`
          ${payments} WHERE s.outcome IS NOT NULL AND s.reported_at IS NULL
            AND ${last === undefined ? sql`true` : sql`s.payment_intent_id > ${last}`}
          ORDER BY s.payment_intent_id LIMIT ${limit}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
