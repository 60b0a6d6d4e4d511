import { Context, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import type { UserId } from "./User.ts"

interface KnownBrowser {
  readonly token_hash: string
  readonly user_id: UserId
  readonly created_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

/** Browsers in which an account has signed in before. */
export class KnownBrowsersRepo extends Context.Service<KnownBrowsersRepo>()("app/accounts/KnownBrowsersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      /** True when the account with this email has signed in from the browser, and the record has not expired. */
      isKnown: (token_hash: string, email: string, now: DateTime.Utc) =>
        Rows.any(sql`
          SELECT FROM known_browser b JOIN user_account a ON a.id = b.user_id
          WHERE b.token_hash = ${token_hash} AND b.expires_at > ${DateTime.toDate(now)}
            AND a.email = ${email} AND a.deleted_at IS NULL
        `),

      insert: (browser: KnownBrowser) =>
        Effect.orDie(
          sql`INSERT INTO known_browser ${sql.insert({
            ...browser,
            created_at: DateTime.toDate(browser.created_at),
            expires_at: DateTime.toDate(browser.expires_at)
          })}`
        ),

      remove: (token_hash: string) => Effect.orDie(sql`DELETE FROM known_browser WHERE token_hash = ${token_hash}`),

      /** Forgets an account's oldest browsers beyond `keep`. */
      removeOldest: (user_id: UserId, keep: number) =>
        Effect.orDie(sql`
          DELETE FROM known_browser WHERE token_hash IN (
            SELECT token_hash FROM known_browser WHERE user_id = ${user_id}
            ORDER BY created_at DESC, token_hash OFFSET ${keep}
          )
        `),

      /** Forgets at most `limit` expired browsers; returns their number. */
      removeExpired: (now: DateTime.Utc, limit: number) =>
        Effect.orDie(sql`
          DELETE FROM known_browser WHERE token_hash IN (
            SELECT token_hash FROM known_browser WHERE expires_at <= ${DateTime.toDate(now)}
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING token_hash
        `).pipe(Effect.map((rows) => rows.length))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
