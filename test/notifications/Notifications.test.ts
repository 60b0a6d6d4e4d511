import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import * as NotificationCleanup from "../../src/notifications/NotificationCleanup.ts"
import { NotificationId } from "../../src/notifications/Notification.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { request } from "../support/TestServer.ts"
import { tell, world } from "./NotificationTesting.ts"

const verifiedUser = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const user = yield* Fixtures.newUser
  yield* sql`UPDATE user_account SET email_verified = true WHERE id = ${user}`
  return user
})

const mails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`SELECT to_address, kind, subject, text FROM email_outbox ORDER BY id`
})

layer(world)("Notifications", (it) => {
  it.effect("that need an action are also mailed to a verified address", () =>
    Effect.gen(function* () {
      const [user, other] = [yield* verifiedUser, yield* Fixtures.newUser]
      const order_id = randomUUID()
      const notice = (kind: "renewal_failed" | "proxy_renewed", user_id = user) => ({
        user_id,
        kind,
        order_id,
        message: () => "Too little money"
      })
      yield* Notifications.use((notifications) =>
        notifications.add([notice("renewal_failed"), notice("proxy_renewed"), notice("renewal_failed", other)])
      )
      assert.deepStrictEqual(yield* mails, [
        {
          to_address: `${user}@example.com`,
          kind: "notice",
          subject: "Your proxy could not be renewed",
          text: `Too little money\n\nIn the dashboard: http://localhost:8080/app/proxies/${order_id}\nOrder: ${order_id}`
        }
      ])
    })
  )

  const kinds = [
    ["proxy_expiring", true],
    ["renewal_failed", true],
    ["renewal_price", true],
    ["provisioning_failed", true],
    ["change_failed", true],
    ["proxy_reduced", true],
    ["proxy_ended", true],
    ["proxy_renewed", false],
    ["deposit_credited", false],
    ["payment_reversed", true],
    ["payment_returned", false]
  ] as const

  for (const [kind, mailed] of kinds)
    it.effect(`of kind ${kind} are ${mailed ? "mailed" : "not mailed"}`, () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const user = yield* verifiedUser
        yield* tell(user, { kind })
        const found = yield* sql`SELECT id FROM email_outbox WHERE to_address = ${`${user}@example.com`}`
        assert.lengthOf(found, mailed ? 1 : 0)
      })
    )

  it.effect("and their mails are rolled back with the caller's transaction", () =>
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const notifications = yield* Notifications
      const user = yield* verifiedUser
      const before = yield* mails
      const failed = Effect.andThen(tell(user, { kind: "change_failed" }), Effect.fail("undone"))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(atomically(failed))))
      assert.deepStrictEqual(yield* mails, before)
      assert.strictEqual((yield* notifications.list(user, undefined, { limit: 10, offset: 0 })).total, 0)
    })
  )

  it.effect("may contain any text", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* verifiedUser
      const message = `"quotes", 'more', \\backslashes\\ and ünïcödé 🙂`
      yield* tell(user, { kind: "change_failed", message: () => message })
      const [mail] = yield* sql`SELECT text FROM email_outbox WHERE to_address = ${`${user}@example.com`}`
      assert.deepStrictEqual(mail, { text: `${message}\n\nIn the dashboard: http://localhost:8080/app/wallet` })
    })
  )

  it.effect("are kept for 90 days when they are read, and for a year when they are unread", () =>
    Effect.gen(function* () {
      const notifications = yield* Notifications
      const user = yield* Fixtures.newUser
      yield* tell(user, { message: () => "read" })
      yield* tell(user, { message: () => "unread" })
      const list = Effect.map(notifications.list(user, undefined, { limit: 10, offset: 0 }), (found) =>
        found.notifications.map(({ message }) => message).toSorted()
      )
      const all = yield* notifications.list(user, undefined, { limit: 10, offset: 0 })
      const read = all.notifications.find(({ message }) => message === "read")
      yield* TestClock.adjust("1 day")
      yield* notifications.read(user, read?.id ?? assert.fail())
      yield* TestClock.adjust("90 days")
      yield* NotificationCleanup.run
      assert.deepStrictEqual(yield* list, ["read", "unread"])
      yield* TestClock.adjust("1 millis")
      yield* NotificationCleanup.run
      assert.deepStrictEqual(yield* list, ["unread"])
      yield* TestClock.adjust("274 days")
      yield* NotificationCleanup.run
      assert.deepStrictEqual(yield* list, [])
    })
  )

  it.effect("that break a rule are refused by the database", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      yield* tell(user)
      const broken = [
        sql`UPDATE notification SET kind = 'gossip' WHERE user_id = ${user}`,
        sql`UPDATE notification SET message = '' WHERE user_id = ${user}`,
        sql`UPDATE notification SET read_at = created_at - interval '1 second' WHERE user_id = ${user}`,
        sql`UPDATE notification SET user_id = ${randomUUID()} WHERE user_id = ${user}`
      ]
      for (const statement of broken) assert.strictEqual((yield* Effect.flip(statement)).reason._tag, "ConstraintError")
    })
  )

  // The last test, because it takes a rule of the database away.
  it.effect("of a kind that only a newer version knows are left out, and stay unread", () =>
    Effect.gen(function* () {
      const notifications = yield* Notifications
      const sql = yield* SqlClient.SqlClient
      const user = yield* Fixtures.newUser
      yield* tell(user, { message: () => "old" })
      yield* tell(user, { message: () => "new" })
      yield* sql`ALTER TABLE notification DROP CONSTRAINT notification_kind_check`
      const [newer] = yield* sql<{ readonly id: string }>`
        UPDATE notification SET kind = 'of_a_newer_version' WHERE user_id = ${user} AND message = 'new' RETURNING id
      `
      const page = { limit: 10, offset: 0 }
      const found = yield* notifications.list(user, undefined, page)
      assert.deepStrictEqual(
        [found.notifications.map(({ message }) => message), found.total, found.unread],
        [["old"], 1, 1]
      )
      const { body } = yield* request("GET", "/v1/notifications", { user })
      assert.lengthOf(body.notifications, 1)
      const missing = yield* Effect.flip(notifications.read(user, NotificationId.make(newer?.id ?? "")))
      assert.strictEqual(missing._tag, "NotificationNotFound")
      yield* notifications.readAll(user)
      const kept = sql`SELECT message FROM notification WHERE user_id = ${user} AND read_at IS NULL`
      assert.deepStrictEqual(yield* kept, [{ message: "new" }])
    })
  )
})
