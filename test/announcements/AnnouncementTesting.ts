import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { AnnouncementId } from "../../src/announcements/Announcement.ts"
import type { NewAnnouncement } from "../../src/announcements/Announcements.ts"
import { UserId } from "../../src/accounts/User.ts"

/** An announcement of a day to everybody, on the pages. */
export const wanted = Effect.fnUntraced(function* (fields: Partial<NewAnnouncement> = {}) {
  const now = yield* DateTime.now
  return {
    id: AnnouncementId.make(randomUUID()),
    kind: "info",
    title_en: "A title",
    body_en: "A text",
    title_de: null,
    body_de: null,
    audience: "all",
    audience_id: null,
    by_banner: true,
    by_mail: false,
    starts_at: now,
    ends_at: DateTime.add(now, { days: 1 }),
    published_by: "a test",
    ...fields
  } satisfies NewAnnouncement
})

/** Inserts an announcement. */
export const newAnnouncement = Effect.fnUntraced(function* (fields: Partial<NewAnnouncement> = {}) {
  const sql = yield* SqlClient.SqlClient
  const { ends_at, starts_at, ...one } = yield* wanted(fields)
  const times = { starts_at: DateTime.toDate(starts_at), ends_at: DateTime.toDate(ends_at) }
  const published_at = DateTime.toDate(yield* DateTime.now)
  yield* sql`INSERT INTO announcement ${sql.insert({ ...one, ...times, published_at, mails: 0 })}`
  return one
})

/** Inserts an account with a verified address; `n` orders the accounts. */
export const newReader = Effect.fnUntraced(function* (n: number, fields: object = {}) {
  const sql = yield* SqlClient.SqlClient
  const id = UserId.make(`00000000-0000-7000-8000-${String(n).padStart(12, "0")}`)
  const now = DateTime.toDate(yield* DateTime.now)
  yield* sql`INSERT INTO user_account ${sql.insert({
    id,
    email: `reader${n}@example.com`,
    email_verified: true,
    is_anonymous: false,
    referral_code: `R${n}`,
    created_at: now,
    updated_at: now,
    ...fields
  })}`
  return id
})
