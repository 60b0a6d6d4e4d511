import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { PaymentIntent } from "../PaymentIntent.ts"

/** The time after its expiry in which a charge is still looked up at its gateway. */
const lookUpTime = { days: 1 }

interface NextLook {
  readonly pending: DateTime.Utc
  readonly ended: DateTime.Utc
}

/** Charges of saved cards. */
export class CardPaymentsRepo extends Context.Service<CardPaymentsRepo>()("app/wallet/CardPaymentsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const read = Rows.all(PaymentIntent)

    return {
      /** Claims the charges that are due to be looked up at their gateway. */
      claimDue: (now: DateTime.Utc, next: NextLook, limit: number) =>
        read(sql`
          UPDATE payment_intent i SET look_at = CASE
            WHEN i.status = 'pending' THEN ${DateTime.toDate(next.pending)}::timestamptz
            WHEN i.expires_at > ${DateTime.toDate(DateTime.subtract(now, lookUpTime))}
              THEN ${DateTime.toDate(next.ended)}::timestamptz
          END
          FROM (
            SELECT id FROM payment_intent WHERE card_id IS NOT NULL AND look_at <= ${DateTime.toDate(now)}
            ORDER BY look_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) due
          WHERE i.id = due.id RETURNING i.*
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
