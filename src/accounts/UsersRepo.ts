import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { LanguageCode } from "../brand/LanguageCode.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { EmailTaken } from "./AccountErrors.ts"
import { User, UserId } from "./User.ts"

const NewUser = Schema.Struct({
  ...User.insert.fields,
  password_hash: Schema.NullOr(Schema.String),
  referred_by: Schema.NullOr(UserId),
  signup_address: Schema.NullOr(Schema.String),
  sessions_valid_from: Schema.DateTimeUtcFromDate
})

const isEmailTaken = ({ reason }: SqlError.SqlError) =>
  reason._tag === "UniqueViolation" && reason.constraint === "user_account_email"

/** Turns a violation of the unique email into `EmailTaken`; any other error is a defect. */
export const orEmailTaken = <A, E, R>(write: Effect.Effect<A, E, R>) =>
  Effect.catch(write, (error) =>
    SqlError.isSqlError(error) && isEmailTaken(error) ? Effect.fail(new EmailTaken({ details: {} })) : Effect.die(error)
  )

const Referrals = Schema.Struct({
  referral_code: Schema.String,
  referred: Schema.Int,
  referral_earned_usd: Schema.BigInt,
  referral_pending_usd: Schema.BigInt
})

const Referrer = Schema.Struct({
  id: UserId,
  is_deleted: Schema.Boolean,
  are_verified: Schema.Boolean,
  share_address: Schema.Boolean
})

const referrers = (sql: SqlClient.SqlClient) => {
  const referrer = Rows.first(Referrer)
  return {
    referrerOf: (referred: UserId) =>
      referrer(sql`
        SELECT a.id, a.deleted_at IS NOT NULL AS is_deleted, a.email_verified AND r.email_verified AS are_verified,
          coalesce(a.signup_address = r.signup_address, false) AS share_address
        FROM user_account r JOIN user_account a ON a.id = r.referred_by WHERE r.id = ${referred}
      `),

    addEarned: (id: UserId, earned_usd: bigint) =>
      Effect.orDie(
        sql`
          UPDATE user_account SET referral_earned_usd = greatest(0, referral_earned_usd + ${earned_usd}::bigint)
          WHERE id = ${id}
        `
      ),

    /** Erases the client addresses of at most `limit` sign-ups before `before`; returns their number. */
    forgetAddresses: (before: DateTime.Utc, limit: number) =>
      sql`
        UPDATE user_account SET signup_address = NULL WHERE id IN (
          SELECT id FROM user_account WHERE signup_address IS NOT NULL AND created_at < ${DateTime.toDate(before)}
          LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) RETURNING id
      `.pipe(
        Effect.map((forgotten) => forgotten.length),
        Effect.orDie
      )
  }
}

/** Accounts that are not deleted. */
export class UsersRepo extends Context.Service<UsersRepo>()("app/accounts/UsersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(NewUser)
    const first = Rows.first(User)
    const firstId = Rows.first(Schema.Struct({ id: UserId }))
    const firstReferrals = Rows.first(Referrals)

    return {
      find: (id: UserId) => first(sql`SELECT * FROM user_account WHERE id = ${id} AND deleted_at IS NULL`),

      findByReferralCode: (code: string) =>
        firstId(sql`SELECT id FROM user_account WHERE referral_code = ${code} AND deleted_at IS NULL`),

      referrals: (id: UserId) =>
        firstReferrals(sql`
          SELECT referral_code, referral_earned_usd,
            (SELECT coalesce(sum(s.amount), 0)::bigint FROM referral_share s
              WHERE s.referrer_id = a.id AND s.status = 'held' AND s.currency = 'USD') AS referral_pending_usd,
            (SELECT count(*)::int FROM user_account r WHERE r.referred_by = a.id) AS referred
          FROM user_account a WHERE id = ${id} AND deleted_at IS NULL
        `),

      ...referrers(sql),

      /** Returns none when another account has the referral code; the caller then draws another code. */
      insert: (user: typeof NewUser.Type) =>
        encode(user).pipe(
          Effect.flatMap(
            (row) => sql`
              INSERT INTO user_account ${sql.insert(row)} ON CONFLICT (referral_code) DO NOTHING RETURNING *
            `
          ),
          orEmailTaken,
          Effect.flatMap((rows) => first(Effect.succeed(rows)))
        ),

      updateProfile: (
        id: UserId,
        changes: {
          readonly name?: string | null
          readonly email?: string
          readonly email_verified?: boolean
          readonly language?: LanguageCode
        },
        now: DateTime.Utc
      ) =>
        sql`
          UPDATE user_account SET ${sql.update({ ...changes, updated_at: DateTime.toDate(now) })} WHERE id = ${id}
        `.pipe(Effect.asVoid, orEmailTaken),

      /** True while money of the wallet is on its way out. Exact while the account is locked. */
      hasOpenPayout: (id: UserId) =>
        Rows.any(sql`SELECT id FROM payout WHERE user_id = ${id} AND status IN ('requested', 'approved')`),

      /** Erases the personal data and deletes the sessions, API keys, mail tokens, mails and notes. */
      erase: (id: UserId, now: DateTime.Utc) =>
        Effect.orDie(
          sql`
            UPDATE user_account SET ${sql.update({
              email: null,
              name: null,
              password_hash: null,
              signup_address: null,
              language: "en",
              email_verified: false,
              sessions_valid_from: DateTime.toDate(now),
              updated_at: DateTime.toDate(now),
              deleted_at: DateTime.toDate(now)
            })} WHERE id = ${id}
          `.pipe(
            Effect.andThen(sql`DELETE FROM user_session WHERE user_id = ${id}`),
            Effect.andThen(sql`DELETE FROM api_key WHERE user_id = ${id}`),
            Effect.andThen(sql`DELETE FROM email_token WHERE user_id = ${id}`),
            Effect.andThen(sql`DELETE FROM email_outbox WHERE id IN (SELECT id FROM mail_log WHERE user_id = ${id})`),
            Effect.andThen(sql`DELETE FROM mail_log WHERE user_id = ${id}`),
            Effect.andThen(sql`DELETE FROM mail_choice WHERE user_id = ${id}`),
            Effect.andThen(sql`DELETE FROM customer_note WHERE user_id = ${id}`)
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
