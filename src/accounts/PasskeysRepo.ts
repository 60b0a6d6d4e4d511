import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import { Passkey, type PasskeyId } from "./Passkey.ts"
import type { UserId } from "./User.ts"

const Count = Schema.Struct({ count: Schema.Int })

interface Use {
  readonly sign_count: bigint
  readonly is_synced: boolean
  readonly now: DateTime.Utc
}

/** The challenges that were answered. */
const answers = (sql: SqlClient.SqlClient) => ({
  /** Records the answer to a challenge; false when it was answered before. */
  answer: (challenge: string, expires_at: DateTime.Utc) =>
    Rows.any(sql`
      INSERT INTO answered_challenge (challenge, expires_at) VALUES (${challenge}, ${DateTime.toDate(expires_at)})
      ON CONFLICT DO NOTHING RETURNING challenge
    `),

  /** Deletes at most `limit` challenges that have expired; returns their number. */
  removeExpiredAnswers: (now: DateTime.Utc, limit: number) =>
    Effect.orDie(sql`
      DELETE FROM answered_challenge WHERE challenge IN (
        SELECT challenge FROM answered_challenge WHERE expires_at <= ${DateTime.toDate(now)}
        LIMIT ${limit} FOR UPDATE SKIP LOCKED
      ) RETURNING challenge
    `).pipe(Effect.map((rows) => rows.length))
})

/** Passkeys of accounts, and the challenges that were answered. */
export class PasskeysRepo extends Context.Service<PasskeysRepo>()("app/accounts/PasskeysRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(Passkey.insert)
    const all = Rows.all(Passkey)
    const first = Rows.first(Passkey)
    const counted = Rows.one(Count)

    return {
      /** Lists the passkeys of an account, the oldest first. */
      list: (user_id: UserId) => all(sql`SELECT * FROM passkey WHERE user_id = ${user_id} ORDER BY created_at, id`),

      count: (user_id: UserId) =>
        counted(sql`SELECT count(*)::int AS count FROM passkey WHERE user_id = ${user_id}`).pipe(
          Effect.map(({ count }) => count)
        ),

      find: (user_id: UserId, id: PasskeyId) =>
        first(sql`SELECT * FROM passkey WHERE id = ${id} AND user_id = ${user_id}`),

      findByCredential: (credential_id: string) =>
        first(sql`SELECT * FROM passkey WHERE credential_id = ${credential_id}`),

      /** False when an account already has this credential. */
      insert: (passkey: typeof Passkey.insert.Type) =>
        Rows.any(
          Effect.flatMap(
            encode(passkey),
            (row) => sql`INSERT INTO passkey ${sql.insert(row)} ON CONFLICT (credential_id) DO NOTHING RETURNING id`
          )
        ),

      rename: (user_id: UserId, id: PasskeyId, name: string) =>
        Rows.any(sql`UPDATE passkey SET name = ${name} WHERE id = ${id} AND user_id = ${user_id} RETURNING id`),

      /** Records a sign-in. */
      use: (id: PasskeyId, { is_synced, now, sign_count }: Use) =>
        Effect.orDie(sql`
          UPDATE passkey SET ${sql.update({ sign_count, is_synced, last_used_at: DateTime.toDate(now) })} WHERE id = ${id}
        `),

      /** Records a refusal. */
      refuse: (id: PasskeyId, now: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE passkey SET refused_at = ${DateTime.toDate(now)} WHERE id = ${id}`),

      remove: (user_id: UserId, id: PasskeyId) =>
        first(sql`DELETE FROM passkey WHERE id = ${id} AND user_id = ${user_id} RETURNING *`),

      removeAll: (user_id: UserId) => all(sql`DELETE FROM passkey WHERE user_id = ${user_id} RETURNING *`),

      ...answers(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
