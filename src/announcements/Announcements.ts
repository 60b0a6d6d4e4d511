import { Context, DateTime, Effect, Exit, Layer, Option, Schema } from "effect"
import { UserId } from "../accounts/User.ts"
import type { Announcement, AnnouncementId, Audience } from "./Announcement.ts"
import {
  AnnouncementNotFound,
  AnnouncementOver,
  AnnouncementTimeInvalid,
  AudienceNotFound
} from "./AnnouncementErrors.ts"
import { AnnouncementMailsRepo } from "./AnnouncementMailsRepo.ts"
import { AnnouncementsRepo } from "./AnnouncementsRepo.ts"

/** An announcement to publish. `id` is the caller's idempotency key. */
export type NewAnnouncement = Omit<
  Announcement,
  "published_at" | "ended_at" | "ended_by" | "end_reason" | "mails_next_at" | "mails"
>

type Faulty = AnnouncementTimeInvalid | AudienceNotFound

const isKind = Schema.is(Schema.Literals(["datacenter", "residential", "mobile"]))
const isUserId = Schema.is(UserId)

const fits = ({ audience, audience_id }: Audience): boolean => {
  if (audience === "all" || audience_id === null) return audience === "all" && audience_id === null
  if (audience === "kind") return isKind(audience_id)
  if (audience === "country") return /^[A-Z]{2}$/.test(audience_id)
  return audience === "account" ? isUserId(audience_id) : audience_id !== ""
}

const makeCheck = Effect.map(AnnouncementsRepo, (repo) => ({
  audience: Effect.fnUntraced(function* (audience: Audience) {
    if (!fits(audience) || !(yield* repo.exists(audience))) return yield* new AudienceNotFound()
  }),
  time: Effect.fnUntraced(function* (
    { ends_at, starts_at }: Pick<NewAnnouncement, "ends_at" | "starts_at">,
    now: DateTime.Utc
  ) {
    const isInOrder = DateTime.isGreaterThan(ends_at, starts_at) && DateTime.isGreaterThan(ends_at, now)
    if (!isInOrder || DateTime.isGreaterThan(ends_at, DateTime.add(now, { days: 365 })))
      return yield* new AnnouncementTimeInvalid()
  })
}))

/** The time in which a banner reaches, and leaves, the pages of every instance. */
const staleness = "5 seconds"

/**
 * Makes the function that finds the banners of an account. Every page shows them, so those for everybody are read at most once
 * in 5 seconds, and those of the account only while a banner is for some accounts.
 */
const makeCurrent = Effect.gen(function* () {
  const repo = yield* AnnouncementsRepo
  const read = Effect.flatMap(DateTime.now, (now) =>
    Effect.all({ everybody: repo.forEverybody(now), areForSome: repo.areForSome(now) })
  )
  const [standing, forget] = yield* Effect.cachedInvalidateWithTTL(read, (exit) =>
    Exit.isSuccess(exit) ? staleness : 0
  )
  const current = Effect.fn("Announcements.current")(function* (user_id: UserId | null) {
    const { areForSome, everybody } = yield* standing
    return user_id !== null && areForSome ? yield* repo.forAccount(user_id, yield* DateTime.now) : everybody
  })
  return { current, forget }
})

/** Messages of the operator to customers: on their pages, in the API and by mail (`AnnouncementRounds`). */
export class Announcements extends Context.Service<
  Announcements,
  {
    /** Publishes in the caller's transaction, if there is one. */
    readonly publish: (wanted: NewAnnouncement) => Effect.Effect<Announcement, Faulty>
    /** Removes the banner and stops the mails that are not sent. */
    readonly end: (
      id: AnnouncementId,
      ending: { readonly by: string; readonly reason: string }
    ) => Effect.Effect<Announcement, AnnouncementNotFound | AnnouncementOver>
    readonly find: (id: AnnouncementId) => Effect.Effect<Announcement, AnnouncementNotFound>
    /** The newest first; older ones than `after`. */
    readonly list: (limit: number, after?: string) => Effect.Effect<ReadonlyArray<Announcement>>
    /** The number of accounts that would get a mail now. Refuses what could not be published. */
    readonly reach: (
      wanted: Pick<NewAnnouncement, "kind" | "audience" | "audience_id" | "starts_at" | "ends_at">
    ) => Effect.Effect<number, Faulty>
    /**
     * The banners that stand for an account; null for everybody. Maintenance stands from its publication on. The answer is at
     * most 5 seconds old.
     */
    readonly current: (user_id: UserId | null) => Effect.Effect<ReadonlyArray<Announcement>>
  }
>()("app/announcements/Announcements") {
  static readonly layerNoDeps = Layer.effect(
    Announcements,
    Effect.gen(function* () {
      const check = yield* makeCheck
      const mails = yield* AnnouncementMailsRepo
      const repo = yield* AnnouncementsRepo
      const { current, forget } = yield* makeCurrent

      const publish = Effect.fn("Announcements.publish")(function* (wanted: NewAnnouncement) {
        const now = yield* DateTime.now
        yield* check.time(wanted, now)
        yield* check.audience(wanted)
        const mailedFrom = wanted.kind === "maintenance" ? now : DateTime.max(now, wanted.starts_at)
        const announcement: Announcement = {
          ...wanted,
          published_at: now,
          ended_at: null,
          ended_by: null,
          end_reason: null,
          mails_next_at: wanted.by_mail ? mailedFrom : null,
          mails: 0
        }
        yield* repo.insert(announcement)
        yield* forget
        return announcement
      })

      const find = Effect.fn("Announcements.find")(function* (id: AnnouncementId) {
        const found = yield* repo.find(id)
        return Option.isSome(found) ? found.value : yield* new AnnouncementNotFound()
      })

      const end = Effect.fn("Announcements.end")(function* (
        id: AnnouncementId,
        { by, reason }: { readonly by: string; readonly reason: string }
      ) {
        const now = yield* DateTime.now
        const ended = yield* repo.end(id, { ended_at: now, ended_by: by, end_reason: reason })
        if (Option.isNone(ended)) {
          yield* find(id)
          return yield* new AnnouncementOver({ details: {} })
        }
        // A statement of its own, which sees the page of mails for which the first has waited.
        yield* repo.dropMails(id, now)
        yield* forget
        return ended.value
      })

      const reach: Announcements["Service"]["reach"] = Effect.fn("Announcements.reach")(function* (wanted) {
        yield* check.time(wanted, yield* DateTime.now)
        yield* check.audience(wanted)
        return yield* mails.count(wanted)
      })

      return Announcements.of({ publish, end, find, list: repo.list, reach, current })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([AnnouncementMailsRepo.layer, AnnouncementsRepo.layer]))
}
