import { Array, Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import type { UserId } from "./User.ts"

const SecondFactor = Schema.Struct({
  secret: Schema.String,
  /** The step of the last accepted code. */
  last_step: Schema.BigInt,
  enabled_at: Schema.DateTimeUtcFromDate,
  recovery_codes_left: Schema.Int
})

const Setup = Schema.Struct({ secret: Schema.String, expires_at: Schema.DateTimeUtcFromDate })

interface NewSetup {
  readonly user_id: UserId
  readonly session_id: string
  readonly secret: string
  readonly created_at: DateTime.Utc
  readonly expires_at: DateTime.Utc
}

/** Secrets that no code has confirmed. An account has at most one. */
const setups = (sql: SqlClient.SqlClient) => {
  const setup = Rows.first(Setup)
  return {
    /** Replaces the account's earlier setup. */
    putSetup: ({ created_at, expires_at, secret, session_id, user_id }: NewSetup) =>
      Effect.orDie(sql`
        INSERT INTO second_factor_setup (user_id, session_id, secret, created_at, expires_at)
        VALUES (${user_id}, ${session_id}, ${secret}, ${DateTime.toDate(created_at)}, ${DateTime.toDate(expires_at)})
        ON CONFLICT (user_id) DO UPDATE SET session_id = excluded.session_id, secret = excluded.secret,
          created_at = excluded.created_at, expires_at = excluded.expires_at
      `),

    /** Finds the setup that this session began, while it has not expired. */
    findSetup: (user_id: UserId, session_id: string, now: DateTime.Utc) =>
      setup(sql`
        SELECT secret, expires_at FROM second_factor_setup
        WHERE user_id = ${user_id} AND session_id = ${session_id} AND expires_at > ${DateTime.toDate(now)}
      `),

    removeSetup: (user_id: UserId) => Effect.orDie(sql`DELETE FROM second_factor_setup WHERE user_id = ${user_id}`),

    /** Deletes at most `limit` expired setups; returns their number. */
    removeExpiredSetups: (now: DateTime.Utc, limit: number) =>
      Effect.orDie(sql`
        DELETE FROM second_factor_setup WHERE user_id IN (
          SELECT user_id FROM second_factor_setup WHERE expires_at <= ${DateTime.toDate(now)}
          LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) RETURNING user_id
      `).pipe(Effect.map((rows) => rows.length))
  }
}

/** Second factors of accounts, with their recovery codes. */
export class SecondFactorsRepo extends Context.Service<SecondFactorsRepo>()("app/accounts/SecondFactorsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const first = Rows.first(SecondFactor)

    return {
      find: (user_id: UserId) =>
        first(sql`
          SELECT secret, last_step, enabled_at,
            (SELECT count(*)::int FROM recovery_code r WHERE r.user_id = f.user_id) AS recovery_codes_left
          FROM second_factor f WHERE user_id = ${user_id}
        `),

      insert: (factor: { user_id: UserId; secret: string; last_step: number; enabled_at: DateTime.Utc }) =>
        Effect.orDie(
          sql`INSERT INTO second_factor ${sql.insert({ ...factor, enabled_at: DateTime.toDate(factor.enabled_at) })}`
        ),

      /** Deletes the second factor with its recovery codes and the sign-ins that wait for it; false when there is none. */
      remove: (user_id: UserId) =>
        Rows.any(sql`DELETE FROM second_factor WHERE user_id = ${user_id} RETURNING user_id`),

      /** Uses up the codes up to this step; false when they are used up already. */
      useStep: (user_id: UserId, step: number) =>
        Rows.any(sql`
          UPDATE second_factor SET last_step = ${step} WHERE user_id = ${user_id} AND last_step < ${step} RETURNING user_id
        `),

      /** Deletes a recovery code; false when the account has no such code. */
      useRecoveryCode: (user_id: UserId, code_hash: string) =>
        Rows.any(sql`
          DELETE FROM recovery_code WHERE user_id = ${user_id} AND code_hash = ${code_hash} RETURNING position
        `),

      /** Replaces the recovery codes, in the caller's transaction. */
      putRecoveryCodes: (user_id: UserId, hashes: Array.NonEmptyReadonlyArray<string>) =>
        sql`DELETE FROM recovery_code WHERE user_id = ${user_id}`.pipe(
          Effect.andThen(
            sql`INSERT INTO recovery_code ${sql.insert(
              Array.map(hashes, (code_hash, index) => ({ user_id, position: index + 1, code_hash }))
            )}`
          ),
          Effect.orDie
        ),

      ...setups(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
