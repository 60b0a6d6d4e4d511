import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { UserId } from "../accounts/User.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { Announcement, type AnnouncementId, type Audience } from "./Announcement.ts"

interface Ending {
  readonly ended_at: DateTime.Utc
  readonly ended_by: string
  readonly end_reason: string
}

/** Limit of the banners on a page. */
const shownAtMost = 3

const banners = (sql: SqlClient.SqlClient) => {
  const all = Rows.all(Announcement)
  const columns = sql.literal(Rows.columnsOf(Announcement))

  const stands = (now: DateTime.Utc) => sql`
    by_banner AND ended_at IS NULL AND ends_at > ${DateTime.toDate(now)}
    AND (kind = 'maintenance' OR starts_at <= ${DateTime.toDate(now)})
  `

  /**
   * The announcements whose banner stands, for those that `reached` chooses: open maintenance windows first, then coming ones
   * by their start, then the newest news.
   */
  const standing = (now: DateTime.Utc, reached: Statement.Fragment) =>
    all(sql`
      SELECT ${columns} FROM announcement a WHERE ${stands(now)} AND ${reached}
      ORDER BY (kind = 'maintenance' AND starts_at <= ${DateTime.toDate(now)}) DESC, kind = 'maintenance' DESC,
        CASE WHEN kind = 'maintenance' THEN starts_at END, published_at DESC, id DESC LIMIT ${shownAtMost}
    `)

  return {
    forEverybody: (now: DateTime.Utc) => standing(now, sql`audience = 'all'`),

    /** True when a banner stands that only some accounts see. */
    areForSome: (now: DateTime.Utc) =>
      Rows.any(sql`SELECT FROM announcement WHERE ${stands(now)} AND audience <> 'all' LIMIT 1`),

    forAccount: (user: UserId, now: DateTime.Utc) =>
      standing(
        now,
        sql`CASE audience
          WHEN 'all' THEN true
          WHEN 'account' THEN audience_id = ${user}
          ELSE EXISTS (
            SELECT FROM proxy_order o WHERE o.user_id = ${user} AND o.proxy_status IN ('active', 'expiring')
            AND CASE a.audience
              WHEN 'provider' THEN o.provider WHEN 'country' THEN o.country WHEN 'kind' THEN o.proxy_type
            END = a.audience_id
          )
        END`
      )
  }
}

export class AnnouncementsRepo extends Context.Service<AnnouncementsRepo>()("app/announcements/AnnouncementsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(Announcement)
    const first = Rows.first(Announcement)
    const encode = Schema.encodeEffect(Announcement)
    const columns = sql.literal(Rows.columnsOf(Announcement))

    return {
      find: (id: AnnouncementId) => first(sql`SELECT ${columns} FROM announcement WHERE id = ${id}`),

      insert: (announcement: Announcement) =>
        Effect.orDie(Effect.flatMap(encode(announcement), (row) => sql`INSERT INTO announcement ${sql.insert(row)}`)),

      /** Ends an announcement before its time; none when it has ended. Waits for a page of mails that is being queued. */
      end: (id: AnnouncementId, { end_reason, ended_at, ended_by }: Ending) =>
        first(sql`
          UPDATE announcement SET ended_at = ${DateTime.toDate(ended_at)}, ended_by = ${ended_by},
            end_reason = ${end_reason}
          WHERE id = ${id} AND ended_at IS NULL AND ends_at > ${DateTime.toDate(ended_at)} RETURNING ${columns}
        `),

      /** Removes the mails of an announcement that nobody has begun to send. */
      dropMails: (id: AnnouncementId, now: DateTime.Utc) =>
        Effect.orDie(sql`
          WITH dropped AS (
            DELETE FROM email_outbox WHERE announcement_id = ${id} AND claimed_at IS NULL RETURNING id
          )
          UPDATE mail_log SET status = 'not_needed', settled_at = ${DateTime.toDate(now)}
          WHERE id IN (SELECT id FROM dropped)
        `),

      /** All announcements that are older than `after`, the newest first. */
      list: (limit: number, after?: string) =>
        all(sql`
          SELECT ${columns} FROM announcement WHERE ${after ?? null}::uuid IS NULL
            OR (published_at, id) < (SELECT published_at, id FROM announcement WHERE id = ${after ?? null}::uuid)
          ORDER BY published_at DESC, id DESC LIMIT ${limit}
        `),

      ...banners(sql),

      /** True when an account or a proxy of any time has this. */
      exists: ({ audience, audience_id }: Audience) => {
        switch (audience) {
          case "all":
          case "kind":
            return Effect.succeed(true)
          case "account":
            return Rows.any(sql`SELECT FROM user_account WHERE id = ${audience_id}::uuid AND deleted_at IS NULL`)
          case "provider":
            return Rows.any(sql`
              SELECT FROM offer WHERE provider = ${audience_id}
              UNION ALL SELECT FROM proxy_order WHERE provider = ${audience_id} LIMIT 1
            `)
          case "country":
            return Rows.any(sql`
              SELECT FROM offer WHERE country_code = ${audience_id}
              UNION ALL SELECT FROM proxy_order WHERE country = ${audience_id} LIMIT 1
            `)
        }
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
