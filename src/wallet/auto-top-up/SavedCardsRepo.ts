import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { SavedCard, SavedCardId } from "../SavedCard.ts"

/** A removed card that its gateway still has. */
const RemovedCard = Schema.Struct({
  id: SavedCardId,
  customer_reference: Schema.String,
  card_reference: Schema.String
})
export type RemovedCard = typeof RemovedCard.Type

/** The saved cards of the accounts. A removed card stays until its gateway has removed it too. */
export class SavedCardsRepo extends Context.Service<SavedCardsRepo>()("app/wallet/SavedCardsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(SavedCard)
    const first = Rows.first(SavedCard)
    const removed = Rows.all(RemovedCard)
    const encode = Schema.encodeEffect(SavedCard.insert)

    return {
      /** The cards of an account, oldest first. */
      listOf: (user_id: UserId, limit: number) =>
        all(sql`
          SELECT * FROM saved_card WHERE user_id = ${user_id} AND removed_at IS NULL ORDER BY id LIMIT ${limit}
        `),

      /**
       * Stores a card once; false when it is known. A card beyond `most`, or of a deleted account, is stored as removed, so that
       * its gateway removes it too. Exact only while the account's wallets are locked.
       */
      insert: Effect.fnUntraced(function* (card: typeof SavedCard.insert.Type, most: number) {
        const row = yield* encode(card)
        const now = row.created_at
        return yield* Rows.any(sql`
          INSERT INTO saved_card (
            id, user_id, customer_reference, card_reference, brand, last_digits, expiry_month, expiry_year, created_at,
            removed_at, remove_at
          )
          SELECT ${row.id}, a.id, ${row.customer_reference}, ${row.card_reference}, ${row.brand}, ${row.last_digits},
            ${row.expiry_month}, ${row.expiry_year}, ${now}, k.removed_at, k.removed_at
          FROM user_account a, LATERAL (
            SELECT CASE WHEN a.deleted_at IS NOT NULL OR ${most} <= (
              SELECT count(*) FROM saved_card WHERE user_id = a.id AND removed_at IS NULL
            ) THEN ${now}::timestamptz END AS removed_at
          ) k
          WHERE a.id = ${card.user_id}
          ON CONFLICT DO NOTHING RETURNING id
        `)
      }, Effect.orDie),

      /** A card, also one that its owner removed; none when its gateway has removed it. */
      find: (id: SavedCardId) => first(sql`SELECT * FROM saved_card WHERE id = ${id}`),

      /** False when the account has no such card. */
      remove: (user_id: UserId, id: SavedCardId, now: DateTime.Utc) =>
        Rows.any(sql`
          UPDATE saved_card SET removed_at = ${DateTime.toDate(now)}, remove_at = ${DateTime.toDate(now)}
          WHERE id = ${id} AND user_id = ${user_id} AND removed_at IS NULL RETURNING id
        `),

      /** Claims removed cards. A card whose payments are still looked up stays: its gateway lists them by the card. */
      claimRemoved: (now: DateTime.Utc, again: DateTime.Utc, limit: number) =>
        removed(sql`
          UPDATE saved_card SET remove_at = ${DateTime.toDate(again)} WHERE id IN (
            SELECT id FROM saved_card c WHERE remove_at <= ${DateTime.toDate(now)} AND NOT EXISTS (
              SELECT FROM payment_intent i
              WHERE i.user_id = c.user_id AND i.card_id = c.id AND (i.status = 'pending' OR i.look_at IS NOT NULL)
            )
            ORDER BY remove_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING id, customer_reference, card_reference
        `),

      /** Forgets a card that its gateway has removed. */
      forget: (id: SavedCardId) => Effect.orDie(sql`DELETE FROM saved_card WHERE id = ${id} AND removed_at IS NOT NULL`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
