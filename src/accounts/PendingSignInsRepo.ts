import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import { UserId } from "./User.ts"

const Waiting = Schema.Struct({ user_id: UserId })

interface PendingSignIn {
  readonly browser_hash: string
  readonly user_id: UserId
  readonly created_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

/** Sign-ins of browsers that wait for the second factor, after the right password. A browser has at most one. */
export class PendingSignInsRepo extends Context.Service<PendingSignInsRepo>()("app/accounts/PendingSignInsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const waiting = Rows.first(Waiting)

    return {
      /** Replaces the browser's earlier sign-in. */
      put: ({ browser_hash, created_at, expires_at, user_id }: PendingSignIn) =>
        Effect.orDie(sql`
          INSERT INTO pending_sign_in (browser_hash, user_id, created_at, expires_at)
          VALUES (${browser_hash}, ${user_id}, ${DateTime.toDate(created_at)}, ${DateTime.toDate(expires_at)})
          ON CONFLICT (browser_hash) DO UPDATE SET user_id = excluded.user_id, created_at = excluded.created_at,
            expires_at = excluded.expires_at
        `),

      /** Finds the account of a sign-in that has not expired. */
      find: (browser_hash: string, now: DateTime.Utc) =>
        waiting(sql`
          SELECT user_id FROM pending_sign_in
          WHERE browser_hash = ${browser_hash} AND expires_at > ${DateTime.toDate(now)}
        `),

      remove: (browser_hash: string) =>
        Effect.orDie(sql`DELETE FROM pending_sign_in WHERE browser_hash = ${browser_hash}`),

      /** Ends an account's oldest sign-ins beyond `keep`. */
      removeOldest: (user_id: UserId, keep: number) =>
        Effect.orDie(sql`
          DELETE FROM pending_sign_in WHERE browser_hash IN (
            SELECT browser_hash FROM pending_sign_in WHERE user_id = ${user_id}
            ORDER BY created_at DESC, browser_hash OFFSET ${keep}
          )
        `),

      /** Deletes at most `limit` expired sign-ins; returns their number. */
      removeExpired: (now: DateTime.Utc, limit: number) =>
        Effect.orDie(sql`
          DELETE FROM pending_sign_in WHERE browser_hash IN (
            SELECT browser_hash FROM pending_sign_in WHERE expires_at <= ${DateTime.toDate(now)}
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING browser_hash
        `).pipe(Effect.map((rows) => rows.length))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
