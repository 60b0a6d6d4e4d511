import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { UserId } from "../accounts/User.ts"
import { LanguageCode } from "../brand/LanguageCode.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { Announcement, type AnnouncementId, type AnnouncementKind, type Audience } from "./Announcement.ts"

/** Limit of the accounts that a page looks at. */
const lookedAt = 5_000

const DueAnnouncement = Schema.Struct({ ...Announcement.fields, mails_after: Schema.NullOr(UserId) })
export type DueAnnouncement = typeof DueAnnouncement.Type

const Recipient = Schema.Struct({ user_id: UserId, language: LanguageCode, code: Schema.String })
const Reached = Schema.Struct({ user_id: UserId, language: LanguageCode })

interface Sending extends Audience {
  readonly kind: typeof AnnouncementKind.Type
}

interface Page {
  /** The accounts that get the mail. */
  readonly recipients: ReadonlyArray<typeof Recipient.Type>
  /** The last account that the page looked at; null when there was none. */
  readonly last: UserId | null
  /** True when there are no more accounts. */
  readonly isLast: boolean
}

const nobody = "00000000-0000-0000-0000-000000000000"

const column = { provider: "provider", country: "country", kind: "proxy_type" } as const

/** Chooses accounts with a verified address that are not suspended, and that want news if it is news. */
const choosing = (sql: SqlClient.SqlClient) => {
  const inAudience = ({ audience, audience_id }: Audience) => {
    if (audience === "all") return sql`true`
    if (audience === "account") return sql`a.id = ${audience_id}::uuid`
    return sql`EXISTS (
      SELECT FROM proxy_order o WHERE o.user_id = a.id AND o.proxy_status IN ('active', 'expiring')
        AND ${sql(`o.${column[audience]}`)} = ${audience_id}
    )`
  }

  return (sending: Sending) => sql`
    a.email_verified AND a.deleted_at IS NULL AND NOT a.access_blocked AND NOT a.service_blocked
    AND ${inAudience(sending)} AND ${
      sending.kind === "maintenance"
        ? sql`true`
        : sql`NOT EXISTS (SELECT FROM mail_choice c WHERE c.user_id = a.id AND c.news_off_at IS NOT NULL)`
    }
  `
}

/** Finds the codes of accounts for the links of their mails. Makes missing ones. */
const coding = (sql: SqlClient.SqlClient) => {
  const recipients = Rows.all(Recipient)
  return (found: ReadonlyArray<typeof Reached.Type>) => {
    const ids = found.map(({ user_id }) => user_id)
    return Effect.andThen(
      Effect.orDie(sql`
        INSERT INTO mail_choice (user_id) SELECT id FROM unnest(${ids}::uuid[]) AS id ORDER BY id
        ON CONFLICT DO NOTHING
      `),
      recipients(sql`
        SELECT a.id AS user_id, a.language, c.code FROM user_account a JOIN mail_choice c ON c.user_id = a.id
        WHERE a.id = ANY (${ids}::uuid[]) ORDER BY a.id
      `)
    )
  }
}

/** The recipients of announcements, a page at a time. */
export class AnnouncementMailsRepo extends Context.Service<AnnouncementMailsRepo>()(
  "app/announcements/AnnouncementMailsRepo",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const due = Rows.first(DueAnnouncement)
      const reached = Rows.all(Reached)
      const last = Rows.one(Schema.Struct({ looked: Schema.Int, last: Schema.NullOr(UserId) }))
      const count = Rows.one(Schema.Struct({ count: Schema.Int }))

      const gets = choosing(sql)
      const withCodes = coding(sql)

      return {
        /** The number of accounts that get a mail. */
        count: (sending: Sending) =>
          Effect.map(
            count(sql`SELECT count(*)::int AS count FROM user_account a WHERE ${gets(sending)}`),
            (row) => row.count
          ),

        /** Locks the announcement whose next page is due; another instance skips it. */
        due: (now: DateTime.Utc) =>
          due(sql`
            SELECT * FROM announcement WHERE mails_next_at <= ${DateTime.toDate(now)}
            ORDER BY mails_next_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
          `),

        /** The number of its mails that wait in the queue, without those that the mail server has put off twice. */
        waiting: (id: AnnouncementId) =>
          Effect.map(
            count(sql`SELECT count(*)::int AS count FROM email_outbox WHERE announcement_id = ${id} AND attempt < 3`),
            (row) => row.count
          ),

        /** Finds the next at most `limit` recipients among the accounts after the page before. */
        page: Effect.fnUntraced(function* (announcement: DueAnnouncement, limit: number): Effect.fn.Return<Page> {
          const after = announcement.mails_after ?? nobody
          const published_at = DateTime.toDate(announcement.published_at)
          const looked = sql`
            SELECT * FROM user_account WHERE id > ${after} AND created_at <= ${published_at} ORDER BY id LIMIT ${lookedAt}
          `
          const found = yield* reached(sql`
            SELECT a.id AS user_id, a.language FROM (${looked}) a WHERE ${gets(announcement)}
            ORDER BY a.id LIMIT ${limit}
          `)
          const range = yield* last(sql`
            SELECT count(*)::int AS looked, (array_agg(id ORDER BY id DESC))[1] AS last
            FROM (SELECT id FROM (${looked}) a) l
          `)
          const isFull = found.length === limit
          return {
            recipients: found.length === 0 ? [] : yield* withCodes(found),
            last: isFull ? (found.at(-1)?.user_id ?? null) : range.last,
            isLast: !isFull && range.looked < lookedAt
          }
        }),

        /** Records how far the mails are. Null ends them. */
        advance: (
          id: AnnouncementId,
          { added, last, next_at }: { added: number; last: UserId | null; next_at: DateTime.Utc | null }
        ) =>
          Effect.orDie(sql`
            UPDATE announcement SET mails = mails + ${added}, mails_after = coalesce(${last}::uuid, mails_after),
              mails_next_at = ${next_at === null ? null : DateTime.toDate(next_at)}
            WHERE id = ${id}
          `)
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}
