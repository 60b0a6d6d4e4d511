import { Config, DateTime, Duration, Effect, Layer, Option, Schedule } from "effect"
import { EmailOutbox } from "../accounts/mail/EmailOutbox.ts"
import { Brand } from "../brand/Brand.ts"
import type { LanguageCode } from "../brand/LanguageCode.ts"
import * as Language from "../brand/Language.ts"
import { minute, say } from "../brand/LocalText.ts"
import * as MailText from "../brand/MailText.ts"
import * as Job from "../platform/Job.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import { integer } from "../platform/settings/IntegerSetting.ts"
import { wordsIn } from "./Announcement.ts"
import { AnnouncementMailsRepo, type DueAnnouncement } from "./AnnouncementMailsRepo.ts"

/** Time between two pages. */
const pause = Duration.seconds(5)
/** Limit of the pages of a round. Pages without recipients follow each other at once. */
const pagesAtMost = 200

/** Mails of an announcement in a minute. */
const perMinute = integer("ANNOUNCEMENT_MAILS_PER_MINUTE", 1, 60_000).pipe(Config.withDefault(600))

const makeWrite = Effect.gen(function* () {
  const { app_url } = yield* Addresses
  const brand = yield* Brand
  const languages = Language.ofBrand(brand)

  /** Writes the mail to one account. Maintenance is no advertising, so nobody turns its mails off. */
  return (announcement: DueAnnouncement, preferred: LanguageCode, code: string) => {
    const { body, language, title } = wordsIn(announcement, preferred)
    const isMaintenance = announcement.kind === "maintenance"
    const unsubscribe = isMaintenance ? "" : `${app_url}/unsubscribe?code=${code}`
    const times = { from: minute(announcement.starts_at), to: minute(announcement.ends_at) }
    const window = isMaintenance ? say("announcement.window", times)(languages[language]) : ""
    return {
      language,
      ...MailText.write(brand, language, "announcement", { title, message: body, window, unsubscribe }),
      announcement_id: announcement.id,
      ...(!isMaintenance && { unsubscribe_url: unsubscribe })
    }
  }
})

/**
 * Queues the next page of the announcement that is due. The page and the account up to which it goes are one transaction, so
 * each account is queued once, also by several instances and after a kill. True when there may be more to do at once.
 */
const page = Effect.gen(function* () {
  const outbox = yield* EmailOutbox
  const repo = yield* AnnouncementMailsRepo
  const write = yield* makeWrite
  const rate = yield* perMinute
  const now = yield* DateTime.now

  const due = yield* repo.due(now)
  if (Option.isNone(due)) return false
  const announcement = due.value
  const { ended_at, ends_at, id } = announcement
  const stop = { added: 0, last: null, next_at: null }
  if (ended_at !== null || DateTime.isLessThanOrEqualTo(ends_at, now))
    return yield* Effect.as(repo.advance(id, stop), true)

  const limit = Math.max(1, Math.floor((rate * Duration.toSeconds(pause)) / 60))
  // A mail server that is slow or down lets the queue grow slowly. Addresses that are busy do not hold up the others.
  if ((yield* repo.waiting(id)) >= limit)
    return yield* Effect.as(repo.advance(id, { ...stop, next_at: DateTime.addDuration(now, pause) }), true)

  const { isLast, last, recipients } = yield* repo.page(announcement, limit)
  yield* outbox.notify(
    recipients.map(({ code, language, user_id }) => ({ user_id, ...write(announcement, language, code) }))
  )
  const wait = Duration.millis(Math.ceil((recipients.length * 60_000) / rate))
  const next_at = isLast ? null : DateTime.addDuration(now, wait)
  yield* repo.advance(id, { added: recipients.length, last, next_at })
  return true
})

/** Queues the pages that are due. */
export const run = Effect.gen(function* () {
  const atomically = yield* Atomically
  for (let pages = 0; pages < pagesAtMost; pages++) if (!(yield* atomically(page))) return
})

export const layer = Job.layer("AnnouncementRounds", Schedule.spaced("1 second"), run).pipe(
  Layer.provide([AnnouncementMailsRepo.layer, Addresses.layer, EmailOutbox.layer])
)
