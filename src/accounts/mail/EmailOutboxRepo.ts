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

const tokenMail = { ...fields, kind: Schema.Literals(["email_verification", "password_reset", "sign_in_unlock"]) }

const notice = {
  ...fields,
  kind: Schema.Literal("notice"),
  subject: Schema.String,
  text: Schema.String,
  /** The announcement that it belongs to, and the address that turns such mails off. */
  announcement_id: Schema.NullOr(Schema.String),
  unsubscribe_url: Schema.NullOr(Schema.String)
}

/** A mail in the queue. */
const QueuedMail = Schema.Union([Schema.Struct(tokenMail), Schema.Struct(notice)])
type QueuedMail = typeof QueuedMail.Type

/** True when another instance has begun to send the mail of an announcement, and ended without an outcome. */
const claimed_before = Schema.Boolean

const ClaimedMail = Schema.Union([
  Schema.Struct({ ...tokenMail, claimed_before }),
  Schema.Struct({ ...notice, claimed_before })
])
export type ClaimedMail = typeof ClaimedMail.Type

/** The end of a mail in the log. `unknown`: the sender was killed before it knew the answer of the mail server. */
export type MailEnd =
  | { readonly status: "delivered" | "unknown" | "not_needed" }
  | { readonly status: "failed"; readonly failure: string }

/** A notice to an account, sent to its verified address. */
export interface AccountMail {
  readonly id: string
  readonly user_id: UserId
  readonly language: LanguageCode
  readonly subject: string
  readonly text: string
  /** An announcement's mail is sent at most once. */
  readonly announcement_id?: string
  readonly unsubscribe_url?: string
}

/** The statements that queue mails, and log those to accounts. */
const queueing = (sql: PgClient.PgClient) => {
  const encode = Schema.encodeEffect(QueuedMail)
  return {
    /** Queues a mail, and logs it for `owner`: by default the account with the address, with null nobody. */
    insert: (mail: QueuedMail, owner?: UserId | null) =>
      Effect.orDie(
        Effect.flatMap(
          encode(mail),
          (row) => sql`
            WITH queued AS (INSERT INTO email_outbox ${sql.insert(row)} RETURNING *)
            INSERT INTO mail_log (id, user_id, to_address, kind, subject, status, created_at)
            SELECT q.id, a.id, q.to_address, q.kind, q.subject, 'queued', q.created_at FROM queued q
            JOIN user_account a ON ${owner === undefined ? sql`a.email = q.to_address` : sql`a.id = ${owner}`}
          `
        )
      ),

    /** Queues and logs notices. There is none for an account without a verified address. */
    insertNotices: (mails: ReadonlyArray<AccountMail>, now: DateTime.Utc) =>
      Effect.orDie(sql`
        WITH given AS (
          -- An account that is erased meanwhile has no verified address any more.
          SELECT m.*, a.email FROM jsonb_to_recordset(${sql.json(mails)}::jsonb) AS m (
            id uuid, user_id uuid, language text, subject text, text text, announcement_id uuid, unsubscribe_url text
          )
          JOIN user_account a ON a.id = m.user_id AND a.email_verified FOR KEY SHARE OF a
        ), queued AS (
          INSERT INTO email_outbox (id, to_address, kind, language, subject, text, announcement_id, unsubscribe_url,
            attempt, next_attempt_at, created_at)
          SELECT id, email, 'notice', language, subject, text, announcement_id, unsubscribe_url, 0,
            ${DateTime.toDate(now)}, ${DateTime.toDate(now)} FROM given
        )
        INSERT INTO mail_log (id, user_id, to_address, kind, subject, announcement_id, status, created_at)
        SELECT id, user_id, email, CASE WHEN announcement_id IS NULL THEN 'notice' ELSE 'announcement' END, subject,
          announcement_id, 'queued', ${DateTime.toDate(now)} FROM given
      `)
  }
}

/** The statement that begins a mail of an announcement. */
const beginning = (sql: PgClient.PgClient) => {
  const begun = Rows.first(Schema.Struct({ is_wanted: Schema.Boolean }))
  /**
   * Begins to send a mail of an announcement. None: another instance has begun it, or it is removed. Not wanted: the
   * announcement is over, or its reader has another address, is shut out, or has turned news off.
   */
  return (id: string, now: DateTime.Utc) =>
    begun(sql`
      UPDATE email_outbox m SET claimed_at = ${DateTime.toDate(now)} WHERE m.id = ${id} AND m.claimed_at IS NULL
      RETURNING EXISTS (
        SELECT FROM announcement n, mail_log l JOIN user_account a ON a.id = l.user_id
        WHERE n.id = m.announcement_id AND n.ended_at IS NULL AND n.ends_at > ${DateTime.toDate(now)}
          AND l.id = m.id AND a.email = m.to_address AND a.email_verified
          AND NOT a.access_blocked AND NOT a.service_blocked
          AND (m.unsubscribe_url IS NULL OR NOT EXISTS (
            SELECT FROM mail_choice c WHERE c.user_id = a.id AND c.news_off_at IS NOT NULL
          ))
      ) AS is_wanted
    `)
}

export class EmailOutboxRepo extends Context.Service<EmailOutboxRepo>()("app/accounts/EmailOutboxRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const claimed = Rows.all(ClaimedMail)
    const language = Rows.first(Schema.Struct({ language: LanguageCode }))

    return {
      /** The language of the account with this email; English without one. */
      languageOf: (email: string) =>
        Effect.map(
          language(sql`SELECT language FROM user_account WHERE email = ${email}`),
          Option.match({ onNone: () => "en" as const, onSome: ({ language }) => language })
        ),

      ...queueing(sql),

      /** Claims at most `limit` due mails for this instance, announcements last; the lease ends at `until`. */
      claim: (now: DateTime.Utc, until: DateTime.Utc, limit: number) =>
        claimed(sql`
          UPDATE email_outbox m
          SET attempt = m.attempt + 1, next_attempt_at = ${DateTime.toDate(until)}
          FROM (
            SELECT id, claimed_at FROM email_outbox WHERE next_attempt_at <= ${DateTime.toDate(now)}
            ORDER BY announcement_id IS NOT NULL, next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) due
          WHERE m.id = due.id
          RETURNING m.*, due.claimed_at IS NOT NULL AS claimed_before
        `),

      begin: beginning(sql),

      postpone: (id: string, until: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE email_outbox SET next_attempt_at = ${DateTime.toDate(until)}, claimed_at = NULL WHERE id = ${id}
        `),

      /** Keeps a notice that cannot be sent, without its text, for the staff. */
      giveUp: (id: string, failure: string, now: DateTime.Utc) =>
        Effect.orDie(sql`
          WITH given_up AS (
            UPDATE email_outbox SET text = '', next_attempt_at = 'infinity', given_up_at = ${DateTime.toDate(now)},
              failure = ${failure} WHERE id = ${id}
          )
          UPDATE mail_log SET status = 'failed', failure = ${failure}, settled_at = ${DateTime.toDate(now)}
          WHERE id = ${id}
        `),

      /** Removes notices that were given up before a time. */
      removeGivenUp: (before: DateTime.Utc) =>
        Effect.orDie(sql`DELETE FROM email_outbox WHERE given_up_at < ${DateTime.toDate(before)}`),

      /** Removes a mail that has ended, and logs its end. */
      remove: (id: string, end: MailEnd, now: DateTime.Utc) =>
        Effect.orDie(sql`
          WITH removed AS (DELETE FROM email_outbox WHERE id = ${id})
          UPDATE mail_log SET status = ${end.status}, failure = ${end.status === "failed" ? end.failure : null},
            settled_at = ${DateTime.toDate(now)} WHERE id = ${id}
        `),

      /** Forgets at most `limit` mails that were queued before a time; returns their number. */
      forget: (before: DateTime.Utc, limit: number) =>
        sql`
          DELETE FROM mail_log WHERE id IN (
            SELECT id FROM mail_log WHERE created_at < ${DateTime.toDate(before)} LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING id
        `.pipe(
          Effect.map((forgotten) => forgotten.length),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
