import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { LanguageCode } from "../../brand/LanguageCode.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { ApiKeyId } from "../ApiKey.ts"
import type { Scope } from "../Scope.ts"
import { User, UserId } from "../User.ts"
import { orEmailTaken } from "../UsersRepo.ts"

interface Owner {
  readonly email: string
  readonly name: string | null
  readonly language: LanguageCode
  readonly password_hash: string
}

const Abandoned = Schema.Struct({ id: UserId })

/** Accounts of agents without an owner. */
export class AnonymousAccountsRepo extends Context.Service<AnonymousAccountsRepo>()(
  "app/accounts/AnonymousAccountsRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const first = Rows.first(User)
      const abandoned = Rows.all(Abandoned)

      return {
        /** Sets the owner of an account; none when it already has one or is deleted. */
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
            orEmailTaken,
            Effect.flatMap((rows) => first(Effect.succeed(rows)))
          ),

        /** Sets the scopes of a key; does nothing when the key was revoked. */
        setScopes: (user_id: UserId, id: ApiKeyId, scopes: ReadonlyArray<Scope>) =>
          Effect.orDie(sql`UPDATE api_key SET scopes = ${scopes}::text[] WHERE id = ${id} AND user_id = ${user_id}`),

        /**
         * Locks older accounts without an order and without money; skips accounts that a person is claiming. The tables
         * of orders and wallets belong to higher folders. This query reads them nevertheless, because a check before
         * the lock could miss a purchase.
         */
        lockAbandoned: (before: DateTime.Utc, limit: number) =>
          abandoned(sql`
            SELECT id FROM user_account a
            WHERE is_anonymous AND deleted_at IS NULL AND created_at < ${DateTime.toDate(before)}
              AND NOT EXISTS (SELECT FROM proxy_order o WHERE o.user_id = a.id)
              AND NOT EXISTS (SELECT FROM wallet w WHERE w.user_id = a.id AND w.balance > 0)
            ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          `).pipe(Effect.map((rows) => rows.map(({ id }) => id)))
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
