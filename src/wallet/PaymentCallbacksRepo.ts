import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { Statement } from "effect/sql"
import { type Outcome, PaymentCallback, type PaymentCallbackId } from "./PaymentCallback.ts"
import type { RawCallback } from "./PaymentGateway.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"

/** The raw calls of the gateways. */
export class PaymentCallbacksRepo extends Context.Service<PaymentCallbacksRepo>()("app/wallet/PaymentCallbacksRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const insert = Effect.fnUntraced(function* (payment_method: PaymentMethod, raw: RawCallback) {
      const callback = yield* PaymentCallback.insert.makeEffect({ ...raw, payment_method, outcome: "received" })
      const row = yield* Schema.encodeEffect(PaymentCallback.insert)(callback)
      yield* sql`INSERT INTO payment_callback ${sql.insert({ ...row, headers: sql.json(row.headers) })}`
      return callback.id
    }, Effect.orDie)

    const conclude = Effect.fnUntraced(function* (id: PaymentCallbackId, outcome: Outcome) {
      const change = { outcome, processed_at: DateTime.toDate(yield* DateTime.now) }
      yield* sql`UPDATE payment_callback SET ${sql.update(change)} WHERE id = ${id}`
    }, Effect.orDie)

    /** Keeps no more than an excerpt, and nothing while `most` refused calls are kept already. */
    const refuse = Effect.fnUntraced(function* (id: PaymentCallbackId, { body, headers }: RawCallback, most: number) {
      const processed_at = DateTime.toDate(yield* DateTime.now)
      const change = { outcome: "refused", body, headers: sql.json(headers), processed_at }
      const [room] = yield* sql`
        UPDATE payment_callback SET ${sql.update(change)}
        WHERE id = ${id} AND ${most} > (
          SELECT count(*) FROM (SELECT FROM payment_callback WHERE outcome = 'refused' LIMIT ${most}) AS kept
        )
        RETURNING id
      `
      if (room === undefined) yield* sql`DELETE FROM payment_callback WHERE id = ${id}`
    }, Effect.orDie)

    const remove = (kind: Statement.Fragment) => (before: DateTime.Utc, limit: number) =>
      sql`
        DELETE FROM payment_callback WHERE id IN (
          SELECT id FROM payment_callback
          WHERE ${kind} AND received_at < ${DateTime.toDate(before)} LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) RETURNING id
      `.pipe(
        Effect.map((removed) => removed.length),
        Effect.orDie
      )

    return {
      insert,
      conclude,
      refuse,
      /** How many were removed, at most `limit`. */
      removeRefused: remove(sql`outcome = 'refused'`),
      removeIgnored: remove(sql`outcome = 'ignored'`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
