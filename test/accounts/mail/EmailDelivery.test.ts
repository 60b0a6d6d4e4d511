import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CredentialsRepo } from "../../../src/accounts/CredentialsRepo.ts"
import * as EmailCleanup from "../../../src/accounts/mail/EmailCleanup.ts"
import * as EmailDelivery from "../../../src/accounts/mail/EmailDelivery.ts"
import { EmailOutbox } from "../../../src/accounts/mail/EmailOutbox.ts"
import { EmailOutboxRepo } from "../../../src/accounts/mail/EmailOutboxRepo.ts"
import { EmailTokensRepo } from "../../../src/accounts/EmailTokensRepo.ts"
import { Addresses } from "../../../src/platform/settings/Addresses.ts"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import { type Mail, MailNotSent } from "../../../src/platform/mail/Mail.ts"
import { Mailer } from "../../../src/platform/mail/Mailer.ts"
import { newAnnouncement } from "../../announcements/AnnouncementTesting.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

type Mood = "accepts" | "busy" | "silent" | "refuses" | "dies"

/** A mail server whose answer a test chooses. It records the attempts to send. */
class MailServer extends Context.Service<
  MailServer,
  {
    readonly attempts: Ref.Ref<ReadonlyArray<string>>
    readonly answer: Ref.Ref<Mood>
    /** The headers of the last mail. */
    readonly headers: Ref.Ref<Mail["headers"]>
  }
>()("test/MailServer") {}

const mailer = Layer.effect(
  Mailer,
  Effect.map(MailServer, ({ answer, attempts, headers }) =>
    Mailer.of({
      send: Effect.fnUntraced(function* (mail) {
        yield* Ref.update(attempts, (all) => [...all, `${mail.to}: ${mail.subject}`])
        yield* Ref.set(headers, mail.headers)
        const mood = yield* Ref.get(answer)
        if (mood === "dies") return yield* Effect.die(new Error("killed while sending"))
        if (mood !== "accepts")
          return yield* new MailNotSent({ reason: mood, permanent: mood === "refuses", uncertain: mood === "silent" })
      })
    })
  )
).pipe(
  Layer.provideMerge(
    Layer.effect(
      MailServer,
      Effect.all({
        attempts: Ref.make<ReadonlyArray<string>>([]),
        answer: Ref.make<Mood>("accepts"),
        headers: Ref.make<Mail["headers"]>(undefined)
      })
    )
  )
)

const world = Layer.mergeAll(
  mailer,
  Addresses.layer,
  CredentialsRepo.layer,
  EmailOutbox.layer,
  EmailOutboxRepo.layer,
  EmailTokensRepo.layer
).pipe(Layer.provideMerge(TestDatabase.layer))

const notice = (to_address: string) => ({
  kind: "notice" as const,
  to_address,
  language: "en" as const,
  subject: "Hello",
  text: "..."
})

/** Empties the queue and the list of attempts, and sets the answer of the mail server. */
const begin = Effect.fnUntraced(function* (mood: Mood) {
  const sql = yield* SqlClient.SqlClient
  const { answer, attempts } = yield* MailServer
  yield* sql`DELETE FROM email_outbox`
  yield* Ref.set(attempts, [])
  yield* Ref.set(answer, mood)
  return { outbox: yield* EmailOutbox, answer, attempts: Ref.get(attempts) }
})

layer(world)("EmailDelivery", (it) => {
  it.effect("sends a mail once when several instances send at the same time", () =>
    Effect.gen(function* () {
      const { attempts, outbox } = yield* begin("accepts")
      for (let n = 0; n < 30; n++) yield* outbox.add(notice(`reader${n}@example.com`))
      yield* Effect.all([EmailDelivery.run, EmailDelivery.run, EmailDelivery.run], { concurrency: "unbounded" })
      yield* TestClock.adjust("10 minutes")
      yield* EmailDelivery.run
      const sent = yield* attempts
      assert.lengthOf(sent, 30)
      assert.lengthOf([...new Set(sent)], 30)
    })
  )

  it.effect("sends no mail of a rolled-back transaction", () =>
    Effect.gen(function* () {
      const { attempts, outbox } = yield* begin("accepts")
      const atomically = yield* Atomically
      yield* outbox
        .add(notice("reader@example.com"))
        .pipe(Effect.andThen(Effect.fail("changed my mind")), atomically, Effect.flip)
      yield* EmailDelivery.run
      assert.deepStrictEqual(yield* attempts, [])
    })
  )

  it.effect("tries again after 30 seconds, then after a minute, until the server accepts the mail", () =>
    Effect.gen(function* () {
      const { answer, attempts, outbox } = yield* begin("busy")
      yield* outbox.add(notice("reader@example.com"))
      yield* EmailDelivery.run
      yield* TestClock.adjust("29 seconds")
      yield* EmailDelivery.run
      assert.lengthOf(yield* attempts, 1)
      yield* TestClock.adjust("1 second")
      yield* EmailDelivery.run
      assert.lengthOf(yield* attempts, 2)
      yield* Ref.set(answer, "accepts")
      yield* TestClock.adjust("59 seconds")
      yield* EmailDelivery.run
      assert.lengthOf(yield* attempts, 2)
      yield* TestClock.adjust("1 second")
      yield* EmailDelivery.run
      yield* TestClock.adjust("1 hour")
      yield* EmailDelivery.run
      assert.lengthOf(yield* attempts, 3)
    })
  )

  it.effect("gives up after a day, and immediately when the server refuses a mail permanently", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { answer, attempts, outbox } = yield* begin("busy")
      yield* outbox.add(notice("reader@example.com"))
      for (let hour = 0; hour < 24; hour++) {
        yield* EmailDelivery.run
        yield* TestClock.adjust("1 hour")
      }
      assert.lengthOf(yield* sql`SELECT id FROM email_outbox`, 1)
      yield* EmailDelivery.run
      const kept = sql`SELECT to_address, subject, text, failure FROM email_outbox ORDER BY given_up_at`
      const late = { to_address: "reader@example.com", subject: "Hello", text: "", failure: "not sent within a day" }
      assert.deepStrictEqual(yield* kept, [late])
      assert.lengthOf(yield* attempts, 25)

      yield* Ref.set(answer, "refuses")
      yield* outbox.add(notice("refused@example.com"))
      const user_id = yield* Fixtures.newUser
      yield* outbox.add({ kind: "email_verification", to_address: `${user_id}@example.com` })
      yield* TestClock.adjust("1 minute")
      yield* EmailDelivery.run
      yield* EmailDelivery.run
      assert.deepStrictEqual(yield* kept, [late, { ...late, to_address: "refused@example.com", failure: "refused" }])
      assert.lengthOf(yield* attempts, 27)

      // Notices that could not be sent wait for the staff for a month.
      yield* TestClock.adjust("29 days")
      yield* EmailCleanup.run
      assert.lengthOf(yield* kept, 2)
      yield* TestClock.adjust("2 days")
      yield* EmailCleanup.run
      assert.lengthOf(yield* kept, 0)
    })
  )

  it.effect("sends the mails of a killed sender after the lease, and other mails without waiting", () =>
    Effect.gen(function* () {
      const { answer, attempts, outbox } = yield* begin("dies")
      yield* outbox.add(notice("reader@example.com"))
      yield* EmailDelivery.run
      yield* Ref.set(answer, "accepts")
      yield* outbox.add(notice("other@example.com"))
      yield* EmailDelivery.run
      assert.deepStrictEqual(yield* attempts, ["reader@example.com: Hello", "other@example.com: Hello"])
      yield* TestClock.adjust("5 minutes")
      yield* EmailDelivery.run
      assert.lengthOf(yield* attempts, 3)
    })
  )

  it.effect("logs the mails to an account, and forgets them after 180 days", () =>
    Effect.gen(function* () {
      const { answer, outbox } = yield* begin("accepts")
      const sql = yield* SqlClient.SqlClient
      const user_id = yield* Fixtures.newUser
      const to_address = `${user_id}@example.com`
      const log = sql<{ kind: string; to_address: string; status: string; failure: string | null }>`
        SELECT kind, to_address, status, failure FROM mail_log WHERE user_id = ${user_id} ORDER BY id`
      yield* outbox.add(notice(to_address))
      yield* outbox.add({ ...notice("earlier@example.com"), user_id })
      yield* outbox.add(notice("nobody@example.com"))
      yield* outbox.add({ ...notice(to_address), subject: "For staff", user_id: null })
      const queued = { status: "queued", failure: null }
      const [own, earlier] = [
        { kind: "notice", to_address },
        { kind: "notice", to_address: "earlier@example.com" }
      ]
      assert.deepStrictEqual(yield* log, [
        { ...own, ...queued },
        { ...earlier, ...queued }
      ])
      yield* EmailDelivery.run
      yield* Ref.set(answer, "refuses")
      yield* outbox.add({ kind: "password_reset", to_address })
      yield* outbox.add(notice(to_address))
      yield* EmailDelivery.run
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user_id}`
      yield* outbox.add({ kind: "email_verification", to_address })
      yield* EmailDelivery.run
      const delivered = { status: "delivered", failure: null }
      const failed = { status: "failed", failure: "refused" }
      assert.deepStrictEqual(yield* log, [
        { ...own, ...delivered },
        { ...earlier, ...delivered },
        { kind: "password_reset", to_address, ...failed },
        { ...own, ...failed },
        { kind: "email_verification", to_address, status: "not_needed", failure: null }
      ])
      yield* TestClock.adjust("179 days")
      yield* EmailCleanup.run
      assert.lengthOf(yield* log, 5)
      yield* TestClock.adjust("2 days")
      yield* EmailCleanup.run
      assert.lengthOf(yield* log, 0)
    })
  )

  it.effect("sends a mail of an announcement at most once, with the headers that turn it off", () =>
    Effect.gen(function* () {
      const { answer, attempts, outbox } = yield* begin("dies")
      const { headers } = yield* MailServer
      const sql = yield* SqlClient.SqlClient
      const announce = Effect.fnUntraced(function* (unsubscribe_url: string | undefined) {
        const user_id = yield* Fixtures.newUser
        yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user_id}`
        const { id: announcement_id } = yield* newAnnouncement({ by_mail: true })
        const mail = { user_id, language: "en" as const, subject: "Hello", text: "...", announcement_id }
        yield* outbox.notify([{ ...mail, ...(unsubscribe_url !== undefined && { unsubscribe_url }) }])
        yield* EmailDelivery.run
        return Effect.map(
          sql<{ status: string }>`SELECT status FROM mail_log WHERE user_id = ${user_id} AND kind = 'announcement'`,
          ([row]) => row?.status
        )
      })
      const killed = yield* announce(undefined)
      assert.lengthOf(yield* attempts, 1)
      assert.strictEqual(yield* killed, "queued")
      yield* Ref.set(answer, "accepts")
      yield* TestClock.adjust("6 minutes")
      yield* EmailDelivery.run
      assert.lengthOf(yield* attempts, 1)
      assert.strictEqual(yield* killed, "unknown")

      yield* Ref.set(answer, "silent")
      assert.strictEqual(yield* yield* announce(undefined), "unknown")
      assert.lengthOf(yield* attempts, 2)

      yield* Ref.set(answer, "busy")
      const postponed = yield* announce("https://example.com/u?code=1")
      assert.strictEqual(yield* postponed, "queued")
      yield* Ref.set(answer, "accepts")
      yield* TestClock.adjust("1 minute")
      yield* EmailDelivery.run
      assert.strictEqual(yield* postponed, "delivered")
      assert.deepStrictEqual(yield* Ref.get(headers), {
        "List-Unsubscribe": "<https://example.com/u?code=1>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
      })

      // It is no item of the to-do list.
      yield* Ref.set(answer, "refuses")
      assert.strictEqual(yield* yield* announce(undefined), "failed")
      assert.lengthOf(yield* sql`SELECT FROM email_outbox`, 0)
    })
  )

  it.effect("sends a verification mail only when the email is not verified", () =>
    Effect.gen(function* () {
      const { attempts, outbox } = yield* begin("accepts")
      const sql = yield* SqlClient.SqlClient
      const verified = yield* Fixtures.newUser
      const unverified = yield* Fixtures.newUser
      yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${verified}`
      for (const name of [verified, unverified, "nobody"])
        yield* outbox.add({ kind: "email_verification", to_address: `${name}@example.com` })
      yield* EmailDelivery.run
      assert.deepStrictEqual(yield* attempts, [`${unverified}@example.com: Verify your email`])
      assert.lengthOf(yield* sql`SELECT id FROM email_outbox`, 0)
    })
  )
})
