import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { Statement } from "effect/sql"
import { type Outcome, PaymentCallback, type PaymentCallbackId } from "./PaymentCallback.ts"
import type { RawCallback } from "../gateways/PaymentGateway.ts"
import type { PaymentIntentId } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"

/** The raw callbacks of the gateways. */
export class PaymentCallbacksRepo extends Context.Service<PaymentCallbacksRepo>()("app/wallet/PaymentCallbacksRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    const insert = Effect.fnUntraced(function* (payment_method: PaymentMethod, raw: RawCallback) {
      const callback = yield* PaymentCallback.insert.makeEffect({ ...raw, payment_method, outcome: "received" })
      const row = yield* Schema.encodeEffect(PaymentCallback.insert)(callback)
      yield* sql`INSERT INTO payment_callback ${sql.insert({ ...row, headers: sql.json(row.headers) })}`
      return callback.id
    }, Effect.orDie)

    const conclude = Effect.fnUntraced(function* (
      id: PaymentCallbackId,
      outcome: Outcome,
      payment_intent_id: PaymentIntentId | null
    ) {
      const change = { outcome, payment_intent_id, processed_at: DateTime.toDate(yield* DateTime.now) }
      yield* sql`UPDATE payment_callback SET ${sql.update(change)} WHERE id = ${id}`
    }, Effect.orDie)

    /** Stores a refused callback, unless `most` of them are stored already. */
    const insertRefused = Effect.fnUntraced(function* (method: PaymentMethod, raw: RawCallback, most: number) {
      const callback = yield* PaymentCallback.insert.makeEffect({ ...raw, payment_method: method, outcome: "refused" })
      const { body, headers, id, received_at } = yield* Schema.encodeEffect(PaymentCallback.insert)(callback)
      yield* sql`
        INSERT INTO payment_callback (id, payment_method, headers, body, outcome, received_at, processed_at)
        SELECT ${id}::uuid, ${method}, ${sql.json(headers)}::jsonb, ${body}::bytea, 'refused', ${received_at}::timestamptz,
          ${received_at}::timestamptz
        WHERE ${most} > (
          SELECT count(*) FROM (SELECT FROM payment_callback WHERE outcome = 'refused' LIMIT ${most}) AS kept
        )
      `
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
      insertRefused,
      /** Removes at most `limit` callbacks; returns their number. */
      removeRefused: remove(sql`outcome = 'refused'`),
      removeIgnored: remove(sql`outcome = 'ignored'`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
