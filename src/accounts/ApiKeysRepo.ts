import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "../platform/fields/Page.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { ApiKey, type ApiKeyId, LiveApiKey } from "./ApiKey.ts"
import type { UserId } from "./User.ts"

const Count = Schema.Struct({ count: Schema.Int })

export class ApiKeysRepo extends Context.Service<ApiKeysRepo>()("app/accounts/ApiKeysRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(ApiKey.insert)
    const all = Rows.all(ApiKey)
    const one = Rows.one(ApiKey)
    const counted = Rows.first(Count)
    const live = Rows.first(LiveApiKey)

    return {
      /** Lists the keys of an account, newest first. */
      list: (user_id: UserId, { limit, offset }: Page) =>
        all(sql`
          SELECT * FROM api_key WHERE user_id = ${user_id}
          ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}
        `),

      count: (user_id: UserId) =>
        counted(sql`SELECT count(*)::int AS count FROM api_key WHERE user_id = ${user_id}`).pipe(
          Effect.map(Option.match({ onNone: () => 0, onSome: ({ count }) => count }))
        ),

      /** Finds a key that has not expired, and whose account is not deleted. */
      findLive: (key_hash: string, now: DateTime.Utc) =>
        live(sql`
          SELECT k.*, a.email_verified, a.access_blocked FROM api_key k JOIN user_account a ON a.id = k.user_id
          WHERE k.key_hash = ${key_hash} AND (k.expires_at IS NULL OR k.expires_at > ${DateTime.toDate(now)})
            AND a.deleted_at IS NULL
        `),

      insert: (key: typeof ApiKey.insert.Type) =>
        encode(key).pipe(
          Effect.flatMap((row) => sql`INSERT INTO api_key ${sql.insert(row)} RETURNING *`),
          one
        ),

      markUsed: (id: ApiKeyId, now: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE api_key SET last_used_at = ${DateTime.toDate(now)} WHERE id = ${id}`),

      /** Deletes a key of this account; false when the account has no such key. */
      remove: (user_id: UserId, id: ApiKeyId) =>
        Rows.any(sql`DELETE FROM api_key WHERE id = ${id} AND user_id = ${user_id} RETURNING id`),

      exists: (id: string) => Rows.any(sql`SELECT FROM api_key WHERE id = ${id}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
