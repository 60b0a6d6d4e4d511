import { assert, layer } from "@effect/vitest"
import { ConfigProvider, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { EmailOutbox } from "../../src/accounts/mail/EmailOutbox.ts"
import { AnnouncementMailsRepo } from "../../src/announcements/AnnouncementMailsRepo.ts"
import * as AnnouncementRounds from "../../src/announcements/AnnouncementRounds.ts"
import { Announcements } from "../../src/announcements/Announcements.ts"
import { MailChoices } from "../../src/announcements/MailChoices.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { Addresses } from "../../src/platform/settings/Addresses.ts"
import * as OrderRows from "../support/OrderRows.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { newReader, wanted } from "./AnnouncementTesting.ts"

/** Pages of 5 mails, at most 60 in a minute. */
const settings = ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ANNOUNCEMENT_MAILS_PER_MINUTE: "60" }))

const world = Layer.mergeAll(
  AnnouncementMailsRepo.layer,
  Announcements.layer,
  EmailOutbox.layer,
  MailChoices.layer,
  Addresses.layer
).pipe(Layer.provideMerge(TestDatabase.layer), Layer.provide(settings))

const publish = (fields: Parameters<typeof wanted>[0] = {}) =>
  Announcements.use((announcements) =>
    Effect.flatMap(wanted({ by_mail: true, ...fields }), (one) => announcements.publish(one))
  )

const run = Effect.provide(AnnouncementRounds.run, settings)

/** The addresses that an announcement has reached, in the order of the queue. */
const reached = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ to_address: string }>`
    SELECT to_address FROM mail_log WHERE announcement_id = ${id} ORDER BY user_id`
  return rows.map(({ to_address }) => to_address.replace("@example.com", ""))
})

/** Empties the queue, as the delivery does. */
const sent = SqlClient.SqlClient.use((sql) => Effect.orDie(sql`DELETE FROM email_outbox`))

/** Runs rounds until no page is left. */
const finish = Effect.fnUntraced(function* (rounds = 20) {
  for (let n = 0; n < rounds; n++) {
    yield* run
    yield* sent
    yield* TestClock.adjust("5 seconds")
  }
})

/** Ends what earlier tests have published, and takes their accounts away. */
const fresh = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  yield* sql`
    UPDATE announcement SET mails_next_at = NULL, ended_at = ${now}, ended_by = 'a test', end_reason = 'over'
    WHERE ended_at IS NULL
  `
  yield* sent
  yield* sql`UPDATE user_account SET email_verified = false`
})

let next = 1
/** Accounts that no other test has. */
const readers = (count: number, fields: object = {}) =>
  Effect.forEach(
    Array.from({ length: count }, () => next++),
    (n) => Effect.map(newReader(n, fields), (id) => ({ id, name: `reader${n}` }))
  )

layer(world)("AnnouncementRounds", (it) => {
  it.effect("queues each account once, a page at a time, at the rate", () =>
    Effect.gen(function* () {
      yield* fresh
      const all = yield* readers(12)
      const { id } = yield* publish()
      yield* run
      assert.lengthOf(yield* reached(id), 5)
      yield* run
      assert.lengthOf(yield* reached(id), 5)
      // A queue that is not sent does not grow.
      yield* TestClock.adjust("5 seconds")
      yield* run
      assert.lengthOf(yield* reached(id), 5)
      yield* sent
      yield* TestClock.adjust("5 seconds")
      yield* run
      assert.lengthOf(yield* reached(id), 10)
      yield* finish()
      assert.deepStrictEqual(
        yield* reached(id),
        all.map(({ name }) => name)
      )
      const found = yield* Announcements.use((announcements) => announcements.find(id))
      assert.deepInclude(found, { mails: 12, mails_next_at: null })
    })
  )

  it.effect("queues each account once by several instances, and after a kill in the middle of a page", () =>
    Effect.gen(function* () {
      yield* fresh
      const sql = yield* SqlClient.SqlClient
      const atomically = yield* Atomically
      const all = yield* readers(12)
      const { id } = yield* publish()
      const killed = Effect.andThen(run, Effect.fail("killed"))
      assert.strictEqual(yield* Effect.flip(atomically(killed)), "killed")
      assert.lengthOf(yield* reached(id), 0)
      for (let n = 0; n < 6; n++) {
        yield* Effect.all([run, run, run], { concurrency: "unbounded" })
        yield* sent
        yield* TestClock.adjust("5 seconds")
      }
      assert.deepStrictEqual(
        yield* reached(id),
        all.map(({ name }) => name)
      )
      const again = yield* Effect.exit(
        sql`INSERT INTO mail_log (id, user_id, to_address, kind, announcement_id, status, created_at)
          SELECT ${randomUUID()}::uuid, user_id, to_address, kind, announcement_id, 'queued', created_at FROM mail_log
          WHERE announcement_id = ${id} LIMIT 1`
      )
      assert.isTrue(again._tag === "Failure", "the database refuses a second mail")
    })
  )

  it.effect(
    "leaves out who is not verified, suspended, new since, or wants no news; maintenance reaches these too",
    () =>
      Effect.gen(function* () {
        yield* fresh
        const [one, off] = yield* readers(2)
        yield* readers(1, { email_verified: false })
        yield* readers(1, { service_blocked: true })
        yield* readers(1, { access_blocked: true })
        const first = yield* publish()
        yield* TestClock.adjust("1 second")
        yield* readers(1)
        yield* finish()
        assert.deepStrictEqual(yield* reached(first.id), [one!.name, off!.name])

        const sql = yield* SqlClient.SqlClient
        const [choice] = yield* sql<{ code: string }>`SELECT code FROM mail_choice WHERE user_id = ${off!.id}`
        const choices = yield* MailChoices
        assert.isTrue(yield* choices.turnOff(choice?.code ?? ""))
        assert.isFalse(yield* choices.turnOff(randomUUID()))
        assert.isFalse(yield* choices.turnOff("nothing"))
        const news = yield* publish({ kind: "warning" })
        const window = yield* publish({ kind: "maintenance" })
        yield* finish()
        assert.notInclude(yield* reached(news.id), off!.name)
        assert.include(yield* reached(news.id), one!.name)
        assert.include(yield* reached(window.id), off!.name)
        yield* choices.turnOn(choice?.code ?? "")
        const later = yield* publish()
        yield* finish()
        assert.include(yield* reached(later.id), off!.name)
      })
  )

  it.effect(
    "reaches the accounts with running proxies of a provider, a country or a kind, and counts them before",
    () =>
      Effect.gen(function* () {
        yield* fresh
        const sql = yield* SqlClient.SqlClient
        const [running, ended, none] = yield* readers(3)
        yield* OrderRows.offer
        const now = yield* DateTime.now
        for (const [reader, status] of [
          [running, "active"],
          [ended, "expired"]
        ] as const) {
          const order = randomUUID()
          yield* sql`INSERT INTO proxy_order ${sql.insert(OrderRows.paidOrder(order, reader!.id, now))}`
          yield* sql`UPDATE proxy_order SET ${sql.literal(OrderRows.handedOut)} WHERE id = ${order}`
          if (status === "expired")
            for (const fields of ["proxy_status = 'expiring'", "status = 'expired', proxy_status = 'expired'"])
              yield* sql`UPDATE proxy_order SET ${sql.literal(fields)} WHERE id = ${order}`
        }
        const announcements = yield* Announcements
        for (const [audience, audience_id] of [
          ["provider", "memory"],
          ["country", "US"],
          ["kind", "datacenter"]
        ] as const) {
          const one = yield* wanted({ audience, audience_id, by_mail: true })
          assert.strictEqual(yield* announcements.reach(one), 1, audience)
          yield* announcements.publish(one)
          yield* finish(3)
          assert.deepStrictEqual(yield* reached(one.id), [running!.name])
          const banners = (id: typeof running) =>
            Effect.map(announcements.current(id!.id), (all) => all.map(({ id }) => id))
          assert.include(yield* banners(running), one.id)
          assert.notInclude(yield* banners(ended), one.id)
          assert.notInclude(yield* Effect.map(announcements.current(null), (all) => all.map(({ id }) => id)), one.id)
          yield* announcements.end(one.id, { by: "a test", reason: "over" })
        }
        const own = yield* wanted({ audience: "account", audience_id: none!.id, by_mail: true })
        yield* announcements.publish(own)
        yield* finish(3)
        assert.deepStrictEqual(yield* reached(own.id), [none!.name])
        for (const audience of [
          { audience: "provider", audience_id: "nobody" },
          { audience: "country", audience_id: "ZZ" },
          { audience: "kind", audience_id: "else" },
          { audience: "account", audience_id: randomUUID() },
          { audience: "all", audience_id: "US" },
          { audience: "provider", audience_id: null }
        ] as const) {
          const refused = yield* Effect.flip(Effect.flatMap(wanted(audience), announcements.publish))
          assert.strictEqual(refused._tag, "AudienceNotFound")
        }
      })
  )

  it.effect("writes to each account in its language, and stops at the end", () =>
    Effect.gen(function* () {
      yield* fresh
      const sql = yield* SqlClient.SqlClient
      yield* readers(1, { language: "de" })
      yield* readers(11)
      const both = yield* publish({ kind: "maintenance", title_de: "Ein Titel", body_de: "Ein Text" })
      yield* run
      const mails = yield* sql<{ subject: string; text: string; unsubscribe_url: string | null }>`
        SELECT subject, text, unsubscribe_url FROM email_outbox ORDER BY id LIMIT 2`
      assert.deepInclude(mails[0], { subject: "Ein Titel", unsubscribe_url: null })
      assert.match(mails[0]?.text ?? "", /^Ein Text\n\nZeit: Von 01\.01\.1970, .*UTC bis .*UTC\.$/)
      assert.strictEqual(mails[1]?.subject, "A title")
      assert.notInclude(mails[1]?.text ?? "", "unsubscribe")

      const announcements = yield* Announcements
      const ended = yield* announcements.end(both.id, { by: "a test", reason: "over" })
      assert.strictEqual(ended.end_reason, "over")
      assert.lengthOf(yield* sql`SELECT FROM email_outbox`, 0, "what waits is not sent")
      yield* finish()
      assert.lengthOf(yield* reached(both.id), 5)
      assert.strictEqual((yield* announcements.find(both.id)).mails_next_at, null)
      const twice = yield* Effect.flip(announcements.end(both.id, { by: "a test", reason: "over" }))
      assert.strictEqual(twice._tag, "AnnouncementOver")

      const german = yield* publish({ title_de: "Ein Titel", body_de: "Ein Text" })
      yield* run
      const [first] = yield* sql<{ text: string; unsubscribe_url: string }>`
        SELECT text, unsubscribe_url FROM email_outbox ORDER BY id LIMIT 1`
      assert.match(first?.unsubscribe_url ?? "", /\/app\/unsubscribe\?code=[0-9a-f-]{36}$/)
      assert.include(first?.text ?? "", `diesen Link: ${first?.unsubscribe_url}`)
      yield* TestClock.adjust("2 days")
      yield* finish(3)
      assert.lengthOf(yield* reached(german.id), 5, "its time is over")
    })
  )

  it.effect("begins with news at their start, and with a maintenance at once; refuses a time that makes no sense", () =>
    Effect.gen(function* () {
      yield* fresh
      yield* readers(1)
      const now = yield* DateTime.now
      const later = { starts_at: DateTime.add(now, { hours: 1 }), ends_at: DateTime.add(now, { hours: 2 }) }
      const announcements = yield* Announcements
      const news = yield* publish(later)
      const window = yield* publish({ ...later, kind: "maintenance" })
      yield* run
      assert.lengthOf(yield* reached(news.id), 0)
      assert.lengthOf(yield* reached(window.id), 1)
      const shown = Effect.map(announcements.current(null), (all) => all.map(({ id }) => id))
      assert.deepStrictEqual(yield* shown, [window.id])
      yield* sent
      yield* TestClock.adjust("61 minutes")
      yield* run
      assert.lengthOf(yield* reached(news.id), 1)
      assert.deepStrictEqual(yield* shown, [window.id, news.id])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* shown, [])
      const at = yield* DateTime.now
      for (const times of [
        { starts_at: at, ends_at: at },
        { starts_at: now, ends_at: DateTime.add(now, { hours: 1 }) },
        { starts_at: at, ends_at: DateTime.add(at, { days: 366 }) }
      ]) {
        const refused = yield* Effect.flip(Effect.flatMap(wanted(times), announcements.publish))
        assert.strictEqual(refused._tag, "AnnouncementTimeInvalid")
      }
    })
  )

  it.effect("keeps what is published as it is", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* publish()
      for (const change of [
        sql`UPDATE announcement SET title_en = 'Another' WHERE id = ${id}`,
        sql`UPDATE announcement SET mails = -1 WHERE id = ${id}`,
        sql`DELETE FROM announcement WHERE id = ${id}`
      ])
        assert.strictEqual((yield* Effect.exit(change))._tag, "Failure")
    })
  )
})
