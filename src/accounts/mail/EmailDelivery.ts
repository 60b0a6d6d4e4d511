import { DateTime, Duration, Effect, Layer, Option, Result, Schedule } from "effect"
import { Brand } from "../../brand/Brand.ts"
import * as MailText from "../../brand/MailText.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as Job from "../../platform/Job.ts"
import { Mailer } from "../../platform/mail/Mailer.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { CredentialsRepo } from "../CredentialsRepo.ts"
import { type ClaimedMail, EmailOutboxRepo, type MailEnd } from "./EmailOutboxRepo.ts"
import * as EmailTexts from "./EmailTexts.ts"
import { type EmailTokenPurpose, EmailTokensRepo } from "../EmailTokensRepo.ts"

const batch = 50
const concurrency = 10
/** Longer than a round in which every attempt reaches the mailer's time-out of 30 seconds. */
const lease = Duration.minutes(5)
const givenUpAfter = Duration.days(1)

const lifetime = {
  email_verification: Duration.hours(24),
  password_reset: Duration.hours(1),
  // Longer than the one-hour window of the rate limit, so that an owner who cannot request another link has a valid
  // one.
  sign_in_unlock: Duration.hours(2)
}

/** Doubles the delay after each attempt, from 30 seconds to at most one hour. */
const delayAfter = (attempt: number) =>
  Duration.min(Duration.times(Duration.seconds(30), 2 ** (attempt - 1)), Duration.hours(1))

/**
 * Issues a token for the account with this email. Returns none without such an account, while its person is shut out, or
 * when its email is already verified.
 */
const issueToken = Effect.fnUntraced(function* (purpose: EmailTokenPurpose, email: string) {
  const credentials = yield* CredentialsRepo
  const tokens = yield* EmailTokensRepo
  const user = Option.filter(
    yield* credentials.findByEmail(email),
    ({ access_blocked, email_verified }) => !access_blocked && (purpose !== "email_verification" || !email_verified)
  )
  if (Option.isNone(user)) return Option.none()
  const token = yield* Secrets.make("")
  const now = yield* DateTime.now
  yield* tokens.insert({
    token_hash: Secrets.digest(token),
    user_id: user.value.id,
    purpose,
    email,
    created_at: now,
    expires_at: DateTime.addDuration(now, lifetime[purpose])
  })
  return Option.some(token)
})

const compose = Effect.fnUntraced(function* (queued: ClaimedMail, brand: Brand) {
  const { kind } = queued
  if (kind === "notice") return Option.some({ subject: queued.subject, text: queued.text })
  const addresses = yield* Addresses
  return Option.map(yield* issueToken(kind, queued.to_address), (token) =>
    EmailTexts.tokenMail(brand, addresses, { language: queued.language, purpose: kind, token })
  )
})

/** Headers with which mail programs offer to turn such mails off with one request (RFC 2369, RFC 8058). */
const headersOf = (queued: ClaimedMail) =>
  queued.kind === "notice" && queued.unsubscribe_url !== null
    ? {
        headers: {
          "List-Unsubscribe": `<${queued.unsubscribe_url}>`,
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
        }
      }
    : {}

const isAnnounced = (queued: ClaimedMail) => queued.kind === "notice" && queued.announcement_id !== null

/** Ends a mail that is not sent. Staff see a notice; an announcement and a mail with a token are only logged. */
const giveUp = Effect.fnUntraced(function* (queued: ClaimedMail, failure: string, now: DateTime.Utc) {
  const outbox = yield* EmailOutboxRepo
  // Anyone can ask for a mail with a token to an address that does not exist.
  if (queued.kind !== "notice" || isAnnounced(queued))
    return yield* outbox.remove(queued.id, { status: "failed", failure }, now)
  return yield* outbox.giveUp(queued.id, failure, now)
})

const deliver = Effect.fnUntraced(
  function* (queued: ClaimedMail) {
    const mailer = yield* Mailer
    const outbox = yield* EmailOutboxRepo
    const brand = yield* Brand
    const end = (status: Exclude<MailEnd["status"], "failed">) =>
      Effect.flatMap(DateTime.now, (now) => outbox.remove(queued.id, { status }, now))
    if (isAnnounced(queued)) {
      // A killed instance may have sent it.
      if (queued.claimed_before) return yield* end("unknown")
      const begun = yield* outbox.begin(queued.id, yield* DateTime.now)
      if (Option.isNone(begun)) return
      if (!begun.value.is_wanted) return yield* end("not_needed")
    }
    const mail = yield* compose(queued, brand)
    if (Option.isNone(mail)) return yield* end("not_needed")

    const { subject, text } = mail.value
    const signed = MailText.signed(brand, queued.language, text)
    const sent = yield* Effect.result(
      mailer.send({ to: queued.to_address, subject, text: signed, ...headersOf(queued) })
    )
    if (Result.isSuccess(sent)) return yield* end("delivered")

    if (isAnnounced(queued) && sent.failure.uncertain === true) return yield* end("unknown")

    const now = yield* DateTime.now
    const age = DateTime.distance(queued.created_at, now)
    if (sent.failure.permanent || Duration.isGreaterThanOrEqualTo(age, givenUpAfter)) {
      yield* Effect.logError(
        `Cannot send a mail: gave up after attempt ${queued.attempt}; check its address and the mail server`,
        sent.failure
      )
      return yield* giveUp(queued, sent.failure.permanent ? "refused" : "not sent within a day", now)
    }
    yield* Effect.logWarning(`Cannot send a mail: attempt ${queued.attempt} failed; trying again later`, sent.failure)
    return yield* outbox.postpone(queued.id, DateTime.addDuration(now, delayAfter(queued.attempt)))
  },
  Effect.catchCause((cause) => Effect.logError("Cannot process a mail of the queue; trying again later", cause))
)

/** Sends the due mails. When an instance stops while it sends a mail, another instance sends it after the lease. */
export const run = Effect.gen(function* () {
  const outbox = yield* EmailOutboxRepo
  const now = yield* DateTime.now
  const due = yield* outbox.claim(now, DateTime.addDuration(now, lease), batch)
  yield* Effect.forEach(due, deliver, { concurrency, discard: true })
})

export const layer = Job.layer("EmailDelivery", Schedule.fixed("2 seconds"), run).pipe(
  Layer.provide([EmailOutboxRepo.layer, EmailTokensRepo.layer, CredentialsRepo.layer, Addresses.layer])
)
