import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { Scope } from "../accounts/Scope.ts"
import type { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"

const Id = Schema.Struct({ id: Schema.String })

const Held = Schema.Struct({ scopes: Schema.Array(Scope), daily_spend_limit_usd: Schema.NullOr(Schema.BigInt) })

/** Names the one grant of an account to an app at a resource. */
interface Key {
  readonly user_id: UserId
  readonly client_id: string
  readonly resource: string
}

/**
 * The scopes that a person grants an app at one resource at `now`, and its daily limit in micro-dollars. They replace those of
 * an earlier grant.
 */
interface Grant extends Key {
  readonly scopes: ReadonlyArray<Scope>
  readonly daily_spend_limit_usd: bigint | null
  readonly now: DateTime.Utc
}

/** One approval of a grant. The client redeems its code. */
interface Connection {
  readonly id: string
  readonly grant_id: string
  readonly code_hash: string
  readonly code_challenge: string
  readonly redirect_uri: string
  readonly code_expires_at: DateTime.Utc
  readonly created_at: DateTime.Utc
}

export class GrantsRepo extends Context.Service<GrantsRepo>()("app/oauth/GrantsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const one = Rows.one(Id)
    const held = Rows.first(Held)

    return {
      find: ({ client_id, resource, user_id }: Key) =>
        held(sql`
          SELECT scopes, daily_spend_limit_usd FROM oauth_grant
          WHERE user_id = ${user_id} AND client_id = ${client_id} AND resource = ${resource}
        `),

      /** Inserts or updates the one grant of the account, client and resource; returns its id. */
      grant: ({ client_id, daily_spend_limit_usd, now, resource, scopes, user_id }: Grant) =>
        one(sql`
          INSERT INTO oauth_grant ${sql.insert({
            id: SecureRandom.uuidV7Unsafe(),
            user_id,
            client_id,
            resource,
            scopes: [...scopes],
            daily_spend_limit_usd,
            created_at: DateTime.toDate(now),
            updated_at: DateTime.toDate(now)
          })}
          ON CONFLICT ON CONSTRAINT oauth_grant_one
          DO UPDATE SET scopes = EXCLUDED.scopes, daily_spend_limit_usd = EXCLUDED.daily_spend_limit_usd,
            updated_at = EXCLUDED.updated_at
          RETURNING id
        `).pipe(Effect.map(({ id }) => id)),

      /** Inserts a connection. It expires with its code, unless the client redeems the code. */
      insert: ({ code_expires_at, created_at, ...rest }: Connection) =>
        Effect.orDie(
          sql`INSERT INTO oauth_connection ${sql.insert({
            ...rest,
            code_expires_at: DateTime.toDate(code_expires_at),
            expires_at: DateTime.toDate(code_expires_at),
            created_at: DateTime.toDate(created_at)
          })}`
        ),

      /** Ends the live connections of a grant beyond `keep`, the least recently used first. */
      supersede: (grant_id: string, keep: number, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE oauth_connection SET revoked_at = ${DateTime.toDate(now)}, revoked_reason = 'superseded'
          WHERE revoked_at IS NULL AND id IN (
            SELECT id FROM oauth_connection
            WHERE grant_id = ${grant_id} AND revoked_at IS NULL AND expires_at > ${DateTime.toDate(now)}
            ORDER BY coalesce(last_used_at, created_at) DESC, id DESC OFFSET ${keep}
          )
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
