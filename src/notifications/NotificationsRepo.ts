import { type Array as Arr, Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { UserId } from "../accounts/User.ts"
import { LanguageCode } from "../brand/LanguageCode.ts"
import type { Page } from "../platform/fields/Page.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { Notification, type NotificationId, NotificationKind } from "./Notification.ts"

const Counts = Schema.Struct({ total: Schema.Int, unread: Schema.Int })

const AccountLanguage = Schema.Struct({ id: UserId, language: LanguageCode })

export class NotificationsRepo extends Context.Service<NotificationsRepo>()("app/notifications/NotificationsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encodeInserts = Schema.encodeEffect(Schema.NonEmptyArray(Notification.insert))
    const all = Rows.all(Notification)
    const first = Rows.first(Notification)
    const counts = Rows.first(Counts)
    const allLanguages = Rows.all(AccountLanguage)

    /** During a rolling update, a newer version writes kinds that this one does not know. It leaves them as they are. */
    const known = sql.in("kind", NotificationKind.literals)

    const matching = (user_id: UserId, unread: boolean | undefined) => {
      const own = sql`user_id = ${user_id} AND ${known}`
      return unread === undefined ? own : unread ? sql`${own} AND read_at IS NULL` : sql`${own} AND read_at IS NOT NULL`
    }

    const remove = (old: Statement.Fragment, limit: number) =>
      sql`
        DELETE FROM notification WHERE id IN (
          SELECT id FROM notification WHERE ${old} LIMIT ${limit} FOR UPDATE SKIP LOCKED
        ) RETURNING id
      `.pipe(
        Effect.map((removed) => removed.length),
        Effect.orDie
      )

    return {
      /** The languages of accounts. */
      languages: (user_ids: ReadonlyArray<UserId>) =>
        allLanguages(sql`SELECT id, language FROM user_account WHERE ${sql.in("id", user_ids)}`).pipe(
          Effect.map((rows) => new Map(rows.map(({ id, language }) => [id, language])))
        ),

      insert: (notifications: Arr.NonEmptyReadonlyArray<typeof Notification.insert.Type>) =>
        encodeInserts(notifications).pipe(
          Effect.flatMap((rows) => sql`INSERT INTO notification ${sql.insert(rows)}`),
          Effect.orDie,
          Effect.asVoid
        ),

      list: (user_id: UserId, unread: boolean | undefined, { limit, offset }: Page) =>
        all(sql`
          SELECT * FROM notification WHERE ${matching(user_id, unread)}
          ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}
        `),

      /** `total` counts the notifications that match; `unread` counts all unread ones. */
      counts: (user_id: UserId, unread: boolean | undefined) =>
        counts(sql`
          SELECT count(*) FILTER (WHERE ${matching(user_id, unread)})::int AS total,
            count(*) FILTER (WHERE read_at IS NULL)::int AS unread
          FROM notification WHERE user_id = ${user_id} AND ${known}
        `).pipe(Effect.flatMap(Effect.fromOption), Effect.orDie),

      find: (id: NotificationId) => first(sql`SELECT * FROM notification WHERE id = ${id} AND ${known}`),

      /** Keeps the time of the first call. */
      markRead: (id: NotificationId, now: DateTime.Utc) =>
        Effect.asVoid(
          Effect.orDie(sql`
            UPDATE notification SET read_at = greatest(created_at, ${DateTime.toDate(now)})
            WHERE id = ${id} AND read_at IS NULL
          `)
        ),

      markAllRead: (user_id: UserId, now: DateTime.Utc) =>
        Effect.asVoid(
          Effect.orDie(sql`
            UPDATE notification SET read_at = greatest(created_at, ${DateTime.toDate(now)})
            WHERE ${matching(user_id, true)}
          `)
        ),

      /** Removes at most `limit` notifications; returns their number. */
      removeRead: (before: DateTime.Utc, limit: number) => remove(sql`read_at < ${DateTime.toDate(before)}`, limit),

      removeUnread: (before: DateTime.Utc, limit: number) =>
        remove(sql`read_at IS NULL AND created_at < ${DateTime.toDate(before)}`, limit)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
