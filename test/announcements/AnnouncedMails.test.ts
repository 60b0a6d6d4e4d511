import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Deferred, Effect, Fiber, Layer, Option, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CredentialsRepo } from "../../src/accounts/CredentialsRepo.ts"
import { EmailTokensRepo } from "../../src/accounts/EmailTokensRepo.ts"
import * as EmailDelivery from "../../src/accounts/mail/EmailDelivery.ts"
import { EmailOutbox } from "../../src/accounts/mail/EmailOutbox.ts"
import { EmailOutboxRepo } from "../../src/accounts/mail/EmailOutboxRepo.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { UsersRepo } from "../../src/accounts/UsersRepo.ts"
import { AnnouncementMailsRepo } from "../../src/announcements/AnnouncementMailsRepo.ts"
import * as AnnouncementRounds from "../../src/announcements/AnnouncementRounds.ts"
import { Announcements } from "../../src/announcements/Announcements.ts"
import { Mailer } from "../../src/platform/mail/Mailer.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { newReader, wanted } from "./AnnouncementTesting.ts"

/** The addresses to which mails were sent. */
class Sent extends Context.Service<Sent, Ref.Ref<ReadonlyArray<string>>>()("test/Sent") {}

const mailer = Layer.effect(
  Mailer,
  Effect.map(Sent, (sent) => Mailer.of({ send: ({ to }) => Ref.update(sent, (all) => [...all, to]) }))
).pipe(Layer.provideMerge(Layer.effect(Sent, Ref.make<ReadonlyArray<string>>([]))))

const world = Layer.mergeAll(
  mailer,
  Addresses.layer,
  AnnouncementMailsRepo.layer,
  Announcements.layer,
  CredentialsRepo.layer,
  EmailOutbox.layer,
  EmailOutboxRepo.layer,
  EmailTokensRepo.layer,
  UsersRepo.layer
).pipe(Layer.provideMerge(TestDatabase.layer))

/** Publishes an announcement by mail to everybody. */
const publish = Announcements.use((announcements) =>
  Effect.flatMap(wanted({ by_mail: true }), (one) => announcements.publish(one))
)

/** Ends earlier announcements, and takes their accounts and mails away. */
const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  yield* sql`
    UPDATE announcement SET mails_next_at = NULL, ended_at = ${now}, ended_by = 'a test', end_reason = 'over'
    WHERE ended_at IS NULL
  `
  yield* sql`DELETE FROM email_outbox`
  yield* sql`UPDATE user_account SET email_verified = false`
  yield* Sent.use(Ref.set<ReadonlyArray<string>>([]))
  return sql
})

let next = 1
const readers = (count: number) =>
  Effect.forEach(
    Array.from({ length: count }, () => next++),
    (n) => Effect.map(newReader(n), (id) => ({ id, address: `reader${n}@example.com` }))
  )

const statuses = Effect.fnUntraced(function* (announcement: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ status: string }>`
    SELECT status FROM mail_log WHERE announcement_id = ${announcement} ORDER BY user_id`
  return rows.map(({ status }) => status)
})

const sentTo = Sent.use(Ref.get)

/** Gives another transaction the time to reach a lock. */
const meanwhile = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 200)))

layer(world)("The mails of an announcement", (it) => {
  it.effect("are not sent to a reader who is shut out, has another address or has turned news off meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* begin
      const [off, moved, unverified, blocked, suspended, reader] = yield* readers(6)
      const { id } = yield* publish
      yield* AnnouncementRounds.run
      const now = DateTime.toDate(yield* DateTime.now)
      yield* sql`UPDATE mail_choice SET news_off_at = ${now} WHERE user_id = ${off!.id}`
      yield* sql`UPDATE user_account SET email = 'moved@example.com' WHERE id = ${moved!.id}`
      yield* sql`UPDATE user_account SET email_verified = false WHERE id = ${unverified!.id}`
      yield* sql`UPDATE user_account SET access_blocked = true WHERE id = ${blocked!.id}`
      yield* sql`UPDATE user_account SET service_blocked = true WHERE id = ${suspended!.id}`
      yield* EmailDelivery.run
      assert.deepStrictEqual(yield* sentTo, [reader!.address])
      const unneeded = Array.from({ length: 5 }, () => "not_needed")
      assert.deepStrictEqual(yield* statuses(id), [...unneeded, "delivered"])
    })
  )

  it.effect("are not sent after the end of the announcement", () =>
    Effect.gen(function* () {
      const sql = yield* begin
      yield* readers(1)
      const ended = yield* publish
      yield* AnnouncementRounds.run
      yield* sql`
        UPDATE announcement SET ended_at = published_at, ended_by = 'a test', end_reason = 'over' WHERE id = ${ended.id}`
      yield* EmailDelivery.run
      const over = yield* publish
      yield* AnnouncementRounds.run
      yield* TestClock.adjust("25 hours")
      yield* EmailDelivery.run
      assert.deepStrictEqual(yield* sentTo, [])
      assert.deepStrictEqual([yield* statuses(ended.id), yield* statuses(over.id)], [["not_needed"], ["not_needed"]])
    })
  )

  it.effect("are sent after the lease when an instance that claimed them stops before it begins them", () =>
    Effect.gen(function* () {
      const sql = yield* begin
      const three = yield* readers(3)
      const { id } = yield* publish
      yield* AnnouncementRounds.run
      const outbox = yield* EmailOutboxRepo
      const now = yield* DateTime.now
      const claimed = yield* outbox.claim(now, DateTime.add(now, { minutes: 5 }), 50)
      assert.lengthOf(claimed, 3)
      const [begun] = yield* sql<{ id: string }>`
        SELECT id FROM mail_log WHERE announcement_id = ${id} ORDER BY user_id LIMIT 1`
      assert.deepStrictEqual(yield* outbox.begin(begun!.id, now), Option.some({ is_wanted: true }))
      assert.deepStrictEqual(yield* outbox.begin(begun!.id, now), Option.none(), "only one instance sends it")
      yield* EmailDelivery.run
      assert.deepStrictEqual(yield* sentTo, [])
      yield* TestClock.adjust("5 minutes")
      yield* EmailDelivery.run
      assert.sameMembers([...(yield* sentTo)], [three[1]!.address, three[2]!.address])
      assert.deepStrictEqual(yield* statuses(id), ["unknown", "delivered", "delivered"])
    })
  )

  it.effect("end with it, also those of the page that is being queued", () =>
    Effect.gen(function* () {
      const sql = yield* begin
      yield* readers(2)
      const { id } = yield* publish
      const atomically = yield* Atomically
      const queued = yield* Deferred.make<void>()
      const commits = yield* Deferred.make<void>()
      const page = yield* AnnouncementRounds.run.pipe(
        Effect.andThen(Deferred.succeed(queued, undefined)),
        Effect.andThen(Deferred.await(commits)),
        atomically,
        Effect.forkChild
      )
      yield* Deferred.await(queued)
      const end = yield* Effect.forkChild(
        Announcements.use((announcements) => announcements.end(id, { by: "a test", reason: "over" }))
      )
      yield* meanwhile
      yield* Deferred.succeed(commits, undefined)
      yield* Fiber.join(page)
      yield* Fiber.join(end)
      assert.lengthOf(yield* sql`SELECT FROM email_outbox`, 0)
      assert.deepStrictEqual(yield* statuses(id), ["not_needed", "not_needed"])
    })
  )

  it.effect("are not queued for an account that is being erased", () =>
    Effect.gen(function* () {
      const sql = yield* begin
      const [gone] = yield* readers(1)
      const user_id: UserId = gone!.id
      const atomically = yield* Atomically
      const users = yield* UsersRepo
      const erased = yield* Deferred.make<void>()
      const commits = yield* Deferred.make<void>()
      const erasure = yield* Effect.flatMap(DateTime.now, (now) => users.erase(user_id, now)).pipe(
        Effect.andThen(Deferred.succeed(erased, undefined)),
        Effect.andThen(Deferred.await(commits)),
        atomically,
        Effect.forkChild
      )
      yield* Deferred.await(erased)
      const notice = { user_id, language: "en", subject: "Hello", text: "..." } as const
      const notify = yield* Effect.forkChild(EmailOutbox.use((outbox) => outbox.notify([notice])))
      yield* meanwhile
      yield* Deferred.succeed(commits, undefined)
      yield* Fiber.join(erasure)
      yield* Fiber.join(notify)
      assert.lengthOf(yield* sql`SELECT FROM email_outbox`, 0)
      assert.lengthOf(yield* sql`SELECT FROM mail_log WHERE user_id = ${user_id}`, 0)
    })
  )

  it.effect("go on while the mail server puts some off again and again", () =>
    Effect.gen(function* () {
      const sql = yield* begin
      yield* readers(55)
      const { id } = yield* publish
      yield* AnnouncementRounds.run
      assert.lengthOf(yield* statuses(id), 50)
      yield* TestClock.adjust("5 seconds")
      yield* AnnouncementRounds.run
      assert.lengthOf(yield* statuses(id), 50)
      yield* sql`UPDATE email_outbox SET attempt = 3`
      yield* TestClock.adjust("5 seconds")
      yield* AnnouncementRounds.run
      assert.lengthOf(yield* statuses(id), 55)
    })
  )
})
