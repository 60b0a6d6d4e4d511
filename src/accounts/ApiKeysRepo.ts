import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import type { Page } from "../platform/fields/Page.ts"
import { ApiKey, type ApiKeyId, LiveApiKey } from "./ApiKey.ts"
import { UserId } from "./User.ts"

const Count = Schema.Struct({ count: Schema.Int })

export class ApiKeysRepo extends Context.Service<ApiKeysRepo>()("app/accounts/ApiKeysRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(ApiKey.insert)
    const decode = Schema.decodeUnknownEffect(ApiKey)

    const list = SqlSchema.findAll({
      Request: Schema.Struct({ user_id: UserId, limit: Schema.Int, offset: Schema.Int }),
      Result: ApiKey,
      execute: ({ limit, offset, user_id }) => sql`
        SELECT * FROM api_key WHERE user_id = ${user_id}
        ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}
      `
    })

    const count = SqlSchema.findOne({
      Request: UserId,
      Result: Count,
      execute: (user_id) => sql`SELECT count(*)::int AS count FROM api_key WHERE user_id = ${user_id}`
    })

    const findLive = SqlSchema.findOneOption({
      Request: Schema.Struct({ key_hash: Schema.String, now: Schema.DateTimeUtcFromDate }),
      Result: LiveApiKey,
      execute: ({ key_hash, now }) => sql`
        SELECT k.*, a.email_verified FROM api_key k JOIN user_account a ON a.id = k.user_id
        WHERE k.key_hash = ${key_hash} AND (k.expires_at IS NULL OR k.expires_at > ${now}) AND a.deleted_at IS NULL
      `
    })

    return {
      list: (user_id: UserId, { limit, offset }: Page) => Effect.orDie(list({ user_id, limit, offset })),
      count: (user_id: UserId) => Effect.orDie(Effect.map(count(user_id), (row) => row.count)),

      /** The key while it is in force. */
      findLive: (key_hash: string, now: DateTime.Utc) => Effect.orDie(findLive({ key_hash, now })),

      insert: (key: typeof ApiKey.insert.Type) =>
        encode(key).pipe(
          Effect.flatMap((row) => sql`INSERT INTO api_key ${sql.insert(row)} RETURNING *`),
          Effect.flatMap(([row]) => decode(row)),
          Effect.orDie
        ),

      markUsed: (id: ApiKeyId, now: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE api_key SET last_used_at = ${DateTime.toDate(now)} WHERE id = ${id}`),

      remove: (user_id: UserId, id: ApiKeyId) =>
        Effect.orDie(sql`DELETE FROM api_key WHERE id = ${id} AND user_id = ${user_id} RETURNING id`).pipe(
          Effect.map((rows) => rows.length === 1)
        ),

      exists: (id: string) =>
        Effect.orDie(sql`SELECT FROM api_key WHERE id = ${id}`).pipe(Effect.map((rows) => rows.length === 1))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
