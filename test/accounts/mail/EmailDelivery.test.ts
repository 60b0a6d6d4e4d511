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
import { MailNotSent } from "../../../src/platform/mail/Mail.ts"
import { Mailer } from "../../../src/platform/mail/Mailer.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

/** A mail server whose answer a test chooses. It records the attempts to send. */
class MailServer extends Context.Service<
  MailServer,
  {
    readonly attempts: Ref.Ref<ReadonlyArray<string>>
    readonly answer: Ref.Ref<"accepts" | "busy" | "refuses" | "dies">
  }
>()("test/MailServer") {}

const mailer = Layer.effect(
  Mailer,
  Effect.map(MailServer, ({ answer, attempts }) =>
    Mailer.of({
      send: Effect.fnUntraced(function* (mail) {
        yield* Ref.update(attempts, (all) => [...all, `${mail.to}: ${mail.subject}`])
        const mood = yield* Ref.get(answer)
        if (mood === "dies") return yield* Effect.die(new Error("killed while sending"))
        if (mood !== "accepts") return yield* new MailNotSent({ reason: mood, permanent: mood === "refuses" })
      })
    })
  )
).pipe(
  Layer.provideMerge(
    Layer.effect(
      MailServer,
      Effect.all({
        attempts: Ref.make<ReadonlyArray<string>>([]),
        answer: Ref.make<"accepts" | "busy" | "refuses" | "dies">("accepts")
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
const begin = Effect.fnUntraced(function* (mood: "accepts" | "busy" | "refuses" | "dies") {
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
