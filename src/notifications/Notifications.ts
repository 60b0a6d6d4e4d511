import { Array as Arr, Context, DateTime, Effect, Layer, Option } from "effect"
import { EmailOutbox } from "../accounts/mail/EmailOutbox.ts"
import type { UserId } from "../accounts/User.ts"
import type { Page } from "../platform/fields/Page.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { Brand } from "../brand/Brand.ts"
import * as Language from "../brand/Language.ts"
import type { LocalText } from "../brand/LocalText.ts"
import { mailsOf } from "./NoticeMail.ts"
import { Notification, type NotificationId } from "./Notification.ts"
import { NotificationNotFound, NotificationNotYours } from "./NotificationErrors.ts"
import { NotificationsRepo } from "./NotificationsRepo.ts"

/** A message for an account, before it is written in the language of the account and stored. */
export interface Notice
  extends
    Pick<Notification, "user_id" | "kind" | "order_id">,
    Partial<Pick<Notification, "payment_intent_id" | "endpoint_id">> {
  readonly message: LocalText
}

interface NotificationList {
  readonly notifications: ReadonlyArray<Notification>
  /** The number of notifications that match the filter. */
  readonly total: number
  /** The number of all unread notifications. */
  readonly unread: number
}

/** Messages to accounts about their proxies and their money. */
export class Notifications extends Context.Service<
  Notifications,
  {
    /**
     * Stores notices in the caller's transaction, so that they report committed changes, in the languages of their
     * accounts. Some kinds are also mailed.
     */
    readonly add: (notices: ReadonlyArray<Notice>) => Effect.Effect<void>
    /** Newest first. `unread` chooses the unread (true), the read (false) or all notifications. */
    readonly list: (owner: UserId, unread: boolean | undefined, page: Page) => Effect.Effect<NotificationList>
    /** The number of unread notifications. */
    readonly unread: (owner: UserId) => Effect.Effect<number>
    /** Marks all notifications as read that exist now. */
    readonly readAll: (owner: UserId) => Effect.Effect<void>
    /** Marks a notification as read. `read_at` keeps the time of the first call. */
    readonly read: (
      owner: UserId,
      id: NotificationId
    ) => Effect.Effect<Notification, NotificationNotFound | NotificationNotYours>
  }
>()("app/notifications/Notifications") {
  static readonly layerNoDeps = Layer.effect(
    Notifications,
    Effect.gen(function* () {
      const { app_url } = yield* Addresses
      const brand = yield* Brand
      const outbox = yield* EmailOutbox
      const repo = yield* NotificationsRepo
      const languages = Language.ofBrand(brand)

      const add = Effect.fn("Notifications.add")(function* (notices: ReadonlyArray<Notice>) {
        if (!Arr.isReadonlyArrayNonEmpty(notices)) return
        const codes = yield* repo.languages(notices.map(({ user_id }) => user_id))
        const written = Arr.map(notices, ({ message, ...notice }) => {
          const language = languages[codes.get(notice.user_id) ?? "en"]
          const subject = { payment_intent_id: null, endpoint_id: null, ...notice }
          return { language: language.code, notice: { ...subject, message: message(language) } }
        })
        const rows = yield* Effect.forEach(written, ({ notice }) =>
          Effect.orDie(Notification.insert.makeEffect(notice))
        )
        yield* repo.insert(rows)
        yield* outbox.notify(written.flatMap(({ language, notice }) => mailsOf(brand, app_url, language, notice)))
      })

      const list = Effect.fn("Notifications.list")(function* (owner: UserId, unread: boolean | undefined, page: Page) {
        return { notifications: yield* repo.list(owner, unread, page), ...(yield* repo.counts(owner, unread)) }
      })

      const unread = Effect.fn("Notifications.unread")((owner: UserId) =>
        Effect.map(repo.counts(owner, true), ({ unread }) => unread)
      )

      const readAll = Effect.fn("Notifications.readAll")(function* (owner: UserId) {
        yield* repo.markAllRead(owner, yield* DateTime.now)
      })

      const get = Effect.fnUntraced(function* (owner: UserId, id: NotificationId) {
        const found = Option.getOrUndefined(yield* repo.find(id))
        if (found === undefined) return yield* new NotificationNotFound()
        if (found.user_id !== owner) return yield* new NotificationNotYours()
        return found
      })

      const read = Effect.fn("Notifications.read")(function* (owner: UserId, id: NotificationId) {
        const found = yield* get(owner, id)
        if (found.read_at !== null) return found
        yield* repo.markRead(id, yield* DateTime.now)
        return yield* get(owner, id)
      })

      return Notifications.of({ add, list, unread, readAll, read })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Addresses.layer, EmailOutbox.layer, NotificationsRepo.layer])
  )
}
