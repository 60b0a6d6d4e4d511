import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, SqlError, SqlSchema } from "effect/sql"
import { EmailTaken } from "./AccountErrors.ts"
import { User, UserId } from "./User.ts"

const NewUser = Schema.Struct({
  ...User.insert.fields,
  password_hash: Schema.NullOr(Schema.String),
  referred_by: Schema.NullOr(UserId),
  sessions_valid_from: Schema.DateTimeUtcFromDate
})

const isEmailTaken = ({ reason }: SqlError.SqlError) =>
  reason._tag === "UniqueViolation" && reason.constraint === "user_account_email"

/** A write of an account's email. */
export const orEmailTaken = <A, E, R>(write: Effect.Effect<A, E, R>) =>
  Effect.catch(write, (error) =>
    SqlError.isSqlError(error) && isEmailTaken(error) ? Effect.fail(new EmailTaken({ details: {} })) : Effect.die(error)
  )

const Referrals = Schema.Struct({
  referral_code: Schema.String,
  referred: Schema.Int,
  referral_earned_usd: Schema.BigInt
})

/** Answers who referred the account, and has that row to itself until the transaction ends. */
const rewardReferrer = (sql: SqlClient.SqlClient) => {
  const reward = SqlSchema.findOneOption({
    Request: Schema.Struct({ referred: UserId, earned_usd: Schema.BigInt }),
    Result: Schema.Struct({ id: UserId }),
    execute: ({ earned_usd, referred }) => sql`
      UPDATE user_account a SET referral_earned_usd = a.referral_earned_usd + ${earned_usd}
      FROM user_account r WHERE r.id = ${referred} AND a.id = r.referred_by AND a.deleted_at IS NULL
      RETURNING a.id
    `
  })
  return (referred: UserId, earned_usd: bigint) => Effect.orDie(reward({ referred, earned_usd }))
}

/** Accounts that were not deleted; the others are only rows. */
export class UsersRepo extends Context.Service<UsersRepo>()("app/accounts/UsersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encode = Schema.encodeEffect(NewUser)
    const decode = Schema.decodeUnknownEffect(Schema.Array(User))

    const find = SqlSchema.findOneOption({
      Request: UserId,
      Result: User,
      execute: (id) => sql`SELECT * FROM user_account WHERE id = ${id} AND deleted_at IS NULL`
    })

    const findByReferralCode = SqlSchema.findOneOption({
      Request: Schema.String,
      Result: Schema.Struct({ id: UserId }),
      execute: (code) => sql`SELECT id FROM user_account WHERE referral_code = ${code} AND deleted_at IS NULL`
    })

    const referrals = SqlSchema.findOneOption({
      Request: UserId,
      Result: Referrals,
      execute: (id) => sql`
        SELECT referral_code, referral_earned_usd,
          (SELECT count(*)::int FROM user_account r WHERE r.referred_by = a.id) AS referred
        FROM user_account a WHERE id = ${id} AND deleted_at IS NULL
      `
    })

    return {
      find: (id: UserId) => Effect.orDie(find(id)),
      findByReferralCode: (code: string) => Effect.orDie(findByReferralCode(code)),
      referrals: (id: UserId) => Effect.orDie(referrals(id)),

      rewardReferrer: rewardReferrer(sql),

      /** None when another account has the referral code: draw another. */
      insert: (user: typeof NewUser.Type) =>
        encode(user).pipe(
          Effect.flatMap(
            (row) => sql`
              INSERT INTO user_account ${sql.insert(row)} ON CONFLICT (referral_code) DO NOTHING RETURNING *
            `
          ),
          Effect.flatMap(decode),
          Effect.map((rows) => Option.fromUndefinedOr(rows[0])),
          orEmailTaken
        ),

      updateProfile: (
        id: UserId,
        changes: { readonly name?: string | null; readonly email?: string; readonly email_verified?: boolean },
        now: DateTime.Utc
      ) =>
        sql`
          UPDATE user_account SET ${sql.update({ ...changes, updated_at: DateTime.toDate(now) })} WHERE id = ${id}
        `.pipe(Effect.asVoid, orEmailTaken),

      /** Erases what is personal; sessions, keys and mail tokens go too. */
      erase: (id: UserId, now: DateTime.Utc) =>
        Effect.orDie(
          sql`
            UPDATE user_account SET ${sql.update({
              email: null,
              name: null,
              password_hash: null,
              email_verified: false,
              sessions_valid_from: DateTime.toDate(now),
              updated_at: DateTime.toDate(now),
              deleted_at: DateTime.toDate(now)
            })} WHERE id = ${id}
          `.pipe(
            Effect.andThen(sql`DELETE FROM user_session WHERE user_id = ${id}`),
            Effect.andThen(sql`DELETE FROM api_key WHERE user_id = ${id}`),
            Effect.andThen(sql`DELETE FROM email_token WHERE user_id = ${id}`)
          )
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
