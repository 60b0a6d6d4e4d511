import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"

export class MailChoicesRepo extends Context.Service<MailChoicesRepo>()("app/announcements/MailChoicesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const code = Rows.one(Schema.Struct({ code: Schema.String }))

    return {
      isOn: (user_id: UserId) =>
        Effect.map(
          Rows.any(sql`SELECT FROM mail_choice WHERE user_id = ${user_id} AND news_off_at IS NOT NULL`),
          (isOff) => !isOff
        ),

      /** The code of an account; makes it if there is none. */
      codeOf: (user_id: UserId) =>
        Effect.map(
          code(sql`
            INSERT INTO mail_choice (user_id) VALUES (${user_id}) ON CONFLICT (user_id) DO UPDATE SET code = mail_choice.code
            RETURNING code
          `),
          ({ code }) => code
        ),

      /** Turns news off for the account of a code and removes those that wait; false for an unknown code. */
      turnOff: (code: string, now: DateTime.Utc) =>
        Rows.any(sql`
          WITH choice AS (
            UPDATE mail_choice SET news_off_at = coalesce(news_off_at, ${DateTime.toDate(now)}) WHERE code = ${code}::uuid
            RETURNING user_id
          ), dropped AS (
            DELETE FROM email_outbox WHERE claimed_at IS NULL AND unsubscribe_url IS NOT NULL AND id IN (
              SELECT l.id FROM mail_log l JOIN choice USING (user_id) WHERE l.status = 'queued'
            ) RETURNING id
          ), logged AS (
            UPDATE mail_log SET status = 'not_needed', settled_at = ${DateTime.toDate(now)}
            WHERE id IN (SELECT id FROM dropped)
          )
          SELECT user_id FROM choice
        `),

      /** Turns news on again; false for an unknown code. */
      turnOn: (code: string) =>
        Rows.any(sql`UPDATE mail_choice SET news_off_at = NULL WHERE code = ${code}::uuid RETURNING user_id`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
