import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { ApiKeyId } from "../ApiKey.ts"
import type { Scope } from "../Scope.ts"
import { User, UserId } from "../User.ts"
import { orEmailTaken } from "../UsersRepo.ts"

interface Owner {
  readonly email: string
  readonly name: string | null
  readonly password_hash: string
}

const Abandoned = Schema.Array(Schema.Struct({ id: UserId }))

/** Accounts without an owner. */
export class AnonymousAccountsRepo extends Context.Service<AnonymousAccountsRepo>()(
  "app/accounts/AnonymousAccountsRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const decode = Schema.decodeUnknownEffect(Schema.Array(User))
      const decodeAbandoned = Schema.decodeUnknownEffect(Abandoned)

      return {
        /** None when the account has an owner, or is deleted. */
        claim: (id: UserId, owner: Owner, at: DateTime.Utc) =>
          sql`
            UPDATE user_account SET ${sql.update({
              ...owner,
              email_verified: false,
              is_anonymous: false,
              sessions_valid_from: DateTime.toDate(at),
              updated_at: DateTime.toDate(at)
            })} WHERE id = ${id} AND is_anonymous AND deleted_at IS NULL RETURNING *
          `.pipe(
            Effect.flatMap(decode),
            Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
            orEmailTaken
          ),

        /** Does nothing when the key is revoked. */
        setScopes: (user_id: UserId, id: ApiKeyId, scopes: ReadonlyArray<Scope>) =>
          Effect.orDie(sql`UPDATE api_key SET scopes = ${scopes}::text[] WHERE id = ${id} AND user_id = ${user_id}`),

        /**
         * Those created before, that never bought anything and have no money; locked, but for those being claimed. The
         * tables of orders and wallets belong to folders above: asked here, in the query that locks, there is no moment
         * between the two.
         */
        lockAbandoned: (before: DateTime.Utc, limit: number) =>
          sql`
            SELECT id FROM user_account a
            WHERE is_anonymous AND deleted_at IS NULL AND created_at < ${DateTime.toDate(before)}
              AND NOT EXISTS (SELECT FROM proxy_order o WHERE o.user_id = a.id)
              AND NOT EXISTS (SELECT FROM wallet w WHERE w.user_id = a.id AND w.balance > 0)
            ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          `.pipe(
            Effect.flatMap(decodeAbandoned),
            Effect.map((rows) => rows.map(({ id }) => id)),
            Effect.orDie
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
