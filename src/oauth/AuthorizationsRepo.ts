import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Scope } from "../accounts/Scope.ts"
import * as Rows from "../platform/postgres/Rows.ts"

export const AuthorizationId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("AuthorizationId"))
export type AuthorizationId = typeof AuthorizationId.Type

/** A row: the request of a client, and the browser that sent it. */
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

/** Identifies an authorization that is live at `now`, in the browser that began it. */
interface Key {
  readonly id: AuthorizationId
  readonly browser_hash: string
  readonly now: DateTime.Utc
}

export class AuthorizationsRepo extends Context.Service<AuthorizationsRepo>()("app/oauth/AuthorizationsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(Authorization)
    const first = Rows.first(Authorization)

    const live = ({ browser_hash, id, now }: Key) => sql`
      SELECT * FROM oauth_authorization
      WHERE id = ${id} AND browser_hash = ${browser_hash} AND expires_at > ${DateTime.toDate(now)}
    `

    return {
      /** False when the client no longer exists. */
      insert: (authorization: Authorization) =>
        encode(authorization).pipe(
          Effect.flatMap((row) => sql`INSERT INTO oauth_authorization ${sql.insert(row)}`),
          Effect.as(true),
          // The reference to the client is the only constraint that this row can violate.
          Effect.catchReason("SqlError", "ConstraintError", () => Effect.succeed(false)),
          Effect.orDie
        ),

      find: (key: Key) => first(live(key)),

      /** Finds and locks it, so that only one transaction decides about it. */
      lock: (key: Key) => first(sql`${live(key)} FOR UPDATE`),

      remove: (id: AuthorizationId) => Effect.orDie(sql`DELETE FROM oauth_authorization WHERE id = ${id}`),

      /** Removes a browser's oldest authorizations beyond `keep`. */
      removeOldest: (browser_hash: string, keep: number) =>
        Effect.orDie(sql`
          DELETE FROM oauth_authorization WHERE id IN (
            SELECT id FROM oauth_authorization WHERE browser_hash = ${browser_hash}
            ORDER BY created_at DESC, id DESC OFFSET ${keep} FOR UPDATE SKIP LOCKED
          )
        `),

      /** Removes at most `limit` expired authorizations; returns their number. */
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
