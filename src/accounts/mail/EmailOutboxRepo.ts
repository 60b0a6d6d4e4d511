import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { LanguageCode } from "../../brand/LanguageCode.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { UserId } from "../User.ts"

const fields = {
  id: Schema.String,
  to_address: Schema.String,
  /** The language in which the mail was queued. */
  language: LanguageCode,
  attempt: Schema.Int,
  next_attempt_at: Schema.DateTimeUtcFromDate,
  created_at: Schema.DateTimeUtcFromDate
}

/** A mail in the queue. */
export const QueuedMail = Schema.Union([
  Schema.Struct({ ...fields, kind: Schema.Literals(["email_verification", "password_reset", "sign_in_unlock"]) }),
  Schema.Struct({ ...fields, kind: Schema.Literal("notice"), subject: Schema.String, text: Schema.String })
])
export type QueuedMail = typeof QueuedMail.Type

/** A notice to an account, sent to its verified address. */
export interface AccountMail {
  readonly id: string
  readonly user_id: UserId
  readonly language: LanguageCode
  readonly subject: string
  readonly text: string
}

export class EmailOutboxRepo extends Context.Service<EmailOutboxRepo>()("app/accounts/EmailOutboxRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const encode = Schema.encodeEffect(QueuedMail)
    const all = Rows.all(QueuedMail)
    const language = Rows.first(Schema.Struct({ language: LanguageCode }))

    return {
      /** The language of the account with this email; English without one. */
      languageOf: (email: string) =>
        Effect.map(
          language(sql`SELECT language FROM user_account WHERE email = ${email}`),
          Option.match({ onNone: () => "en" as const, onSome: ({ language }) => language })
        ),

      insert: (mail: QueuedMail) =>
        Effect.orDie(Effect.flatMap(encode(mail), (row) => sql`INSERT INTO email_outbox ${sql.insert(row)}`)),

      /** Queues no notice for an account without a verified address. */
      insertNotices: (mails: ReadonlyArray<AccountMail>, now: DateTime.Utc) =>
        Effect.orDie(sql`
          INSERT INTO email_outbox (id, to_address, kind, language, subject, text, attempt, next_attempt_at, created_at)
          SELECT m.id, a.email, 'notice', m.language, m.subject, m.text, 0, ${DateTime.toDate(now)}, ${DateTime.toDate(now)}
          FROM jsonb_to_recordset(${sql.json(mails)}::jsonb) AS m (
            id uuid, user_id uuid, language text, subject text, text text
          )
          JOIN user_account a ON a.id = m.user_id AND a.email_verified
        `),

      /** Claims at most `limit` due mails for this instance; the lease ends at `until`. */
      claim: (now: DateTime.Utc, until: DateTime.Utc, limit: number) =>
        all(sql`
          UPDATE email_outbox SET attempt = attempt + 1, next_attempt_at = ${DateTime.toDate(until)}
          WHERE id IN (
            SELECT id FROM email_outbox WHERE next_attempt_at <= ${DateTime.toDate(now)}
            ORDER BY next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          )
          RETURNING *
        `),

      postpone: (id: string, until: DateTime.Utc) =>
        Effect.orDie(sql`UPDATE email_outbox SET next_attempt_at = ${DateTime.toDate(until)} WHERE id = ${id}`),

      /** Keeps a notice that cannot be sent, without its text, for the staff. */
      giveUp: (id: string, failure: string, now: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE email_outbox SET text = '', next_attempt_at = 'infinity', given_up_at = ${DateTime.toDate(now)},
            failure = ${failure} WHERE id = ${id}
        `),

      /** Removes notices that were given up before a time. */
      removeGivenUp: (before: DateTime.Utc) =>
        Effect.orDie(sql`DELETE FROM email_outbox WHERE given_up_at < ${DateTime.toDate(before)}`),

      remove: (id: string) => Effect.orDie(sql`DELETE FROM email_outbox WHERE id = ${id}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
