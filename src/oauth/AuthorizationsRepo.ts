import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Scope } from "../accounts/Scope.ts"

export const AuthorizationId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("AuthorizationId"))
export type AuthorizationId = typeof AuthorizationId.Type

/** A row: what a client asks for, and the browser that brought it. */
const Authorization = Schema.Struct({
  id: AuthorizationId,
  browser_hash: Schema.String,
  client_id: Schema.String,
  redirect_uri: Schema.String,
  state: Schema.NullOr(Schema.String),
  code_challenge: Schema.String,
  resource: Schema.String,
  scopes: Schema.Array(Scope),
  created_at: Schema.DateTimeUtcFromDate,
  expires_at: Schema.DateTimeUtcFromDate
})
export type Authorization = typeof Authorization.Type

const Key = Schema.Struct({ id: AuthorizationId, browser_hash: Schema.String, now: Schema.DateTimeUtcFromDate })

export class AuthorizationsRepo extends Context.Service<AuthorizationsRepo>()("app/oauth/AuthorizationsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(Authorization)

    const live = ({ browser_hash, id, now }: typeof Key.Encoded) => sql`
      SELECT * FROM oauth_authorization WHERE id = ${id} AND browser_hash = ${browser_hash} AND expires_at > ${now}
    `
    const find = SqlSchema.findOneOption({ Request: Key, Result: Authorization, execute: live })
    const lock = SqlSchema.findOneOption({
      Request: Key,
      Result: Authorization,
      execute: (key) => sql`${live(key)} FOR UPDATE`
    })

    return {
      /** Answers false when its client is gone. */
      insert: (authorization: Authorization) =>
        encode(authorization).pipe(
          Effect.flatMap((row) => sql`INSERT INTO oauth_authorization ${sql.insert(row)}`),
          Effect.as(true),
          // Of what the table demands, only the reference to the client can be broken.
          Effect.catchReason("SqlError", "ConstraintError", () => Effect.succeed(false)),
          Effect.orDie
        ),

      find: (key: typeof Key.Type) => Effect.orDie(find(key)),

      /** The same, for whoever decides it in this transaction. */
      lock: (key: typeof Key.Type) => Effect.orDie(lock(key)),

      remove: (id: AuthorizationId) => Effect.orDie(sql`DELETE FROM oauth_authorization WHERE id = ${id}`),

      /** Removes the oldest of a browser beyond `keep`. */
      removeOldest: (browser_hash: string, keep: number) =>
        Effect.orDie(sql`
          DELETE FROM oauth_authorization WHERE id IN (
            SELECT id FROM oauth_authorization WHERE browser_hash = ${browser_hash}
            ORDER BY created_at DESC, id DESC OFFSET ${keep} FOR UPDATE SKIP LOCKED
          )
        `),

      /** Removes at most `limit` expired ones; answers how many. */
      removeExpired: (now: DateTime.Utc, limit: number) =>
        Effect.orDie(sql`
          DELETE FROM oauth_authorization WHERE id IN (
            SELECT id FROM oauth_authorization WHERE expires_at <= ${DateTime.toDate(now)}
            LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING id
        `).pipe(Effect.map((rows) => rows.length))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
