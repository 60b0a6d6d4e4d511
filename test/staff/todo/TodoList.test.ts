import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Ref } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { EmailOutbox } from "../../../src/accounts/mail/EmailOutbox.ts"
import { OperatorWebhook } from "../../../src/staff/todo/OperatorWebhook.ts"
import { TodoRepo } from "../../../src/staff/todo/TodoRepo.ts"
import * as TodoRounds from "../../../src/staff/todo/TodoRounds.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"
import { newSession, newStaff } from "../StaffTesting.ts"
import { plants } from "./TodoTesting.ts"

const get = (secret: string, path: string) =>
  request("GET", `/v1/admin/todo${path}`, { headers: { authorization: `Bearer ${secret}` } })

const settle = (secret: string, kind: string, id: string, reason = "Released at the vendor") =>
  request("POST", `/v1/admin/todo/${kind}/${id}/settle`, {
    headers: { authorization: `Bearer ${secret}` },
    body: { reason }
  })

/** The webhook of the operator, which takes calls while `isUp`. */
const receiver = Effect.gen(function* () {
  const calls = yield* Ref.make<ReadonlyArray<string>>([])
  const isUp = yield* Ref.make(true)
  const webhook = Layer.succeed(OperatorWebhook, {
    isOn: true,
    call: ({ item }) =>
      Effect.andThen(
        Ref.update(calls, (all) => [...all, item.kind]),
        Effect.flatMap(Ref.get(isUp), (up) => (up ? Effect.void : Effect.fail("The receiver answered 500")))
      )
  })
  const round = Effect.provide(TodoRounds.run, Layer.mergeAll(webhook, TodoRepo.layer, EmailOutbox.layer))
  return { calls: Ref.getAndSet(calls, []), isUp, round }
})

const mails = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ to_address: string; text: string }>`
    DELETE FROM email_outbox WHERE subject LIKE '%waits for a person%' RETURNING to_address, text
  `
})

layer(TestApp.layer())("The to-do list", (it) => {
  it.effect("has an item while its cause exists, notifies once, and lets a person settle what has no end", () =>
    Effect.gen(function* () {
      const { endOf, order_id, planted, user_id } = yield* plants
      const [support, finance, viewer] = [
        yield* newStaff("support"),
        yield* newStaff("finance"),
        yield* newStaff("viewer")
      ]
      const secret = yield* newSession(support)
      const { calls, isUp, round } = yield* receiver

      const { body } = yield* get(secret, "")
      assert.deepStrictEqual(
        body.items.map(({ id, kind }: any) => `${kind} ${id}`).toSorted(),
        planted.map(({ id, kind }) => `${kind} ${id}`).toSorted()
      )
      assert.sameMembers(
        body.counts.map(({ count, kind }: any) => `${kind} ${count}`),
        planted.map(({ kind }) => `${kind} 1`)
      )
      assert.isAbove(body.items.filter((item: any) => item.user_id === user_id).length, 6)
      const low = body.items.find(({ kind }: any) => kind === "vendor_balance")
      assert.deepStrictEqual([low.detail, low.is_by_hand], ["iproyal has 1.50 USD", false])

      // Each person hears only of what the role can settle, and each item is notified once.
      yield* Ref.set(isUp, false)
      yield* round
      const notified = yield* mails
      assert.sameMembers(
        notified.map(({ to_address }) => to_address),
        [`${support}@example.com`, `${finance}@example.com`]
      )
      assert.notInclude(notified.map(({ to_address }) => to_address).join(), viewer)
      const forSupport = notified.find(({ to_address }) => to_address.startsWith(support))?.text ?? ""
      for (const part of ["Proxy without an owner: memory: proxy 7", "/admin/todo"]) assert.include(forSupport, part)
      assert.notInclude(forSupport, "Credit that waits")
      assert.lengthOf(yield* calls, planted.length)
      yield* round
      assert.deepStrictEqual([yield* mails, yield* calls], [[], []])

      // A call that did not arrive is repeated.
      yield* Ref.set(isUp, true)
      yield* TestClock.adjust("2 minutes")
      yield* round
      assert.lengthOf(yield* calls, planted.length)
      yield* TestClock.adjust("20 minutes")
      yield* round
      assert.deepStrictEqual(yield* calls, [])

      for (const one of planted) {
        if (one.end === undefined) {
          assert.strictEqual((yield* settle(secret, one.kind, one.id)).status, 204, one.kind)
          assert.strictEqual((yield* settle(secret, one.kind, one.id)).status, 404, one.kind)
        } else yield* endOf(one)
        const open = yield* get(secret, `?kind=${one.kind}`)
        assert.deepStrictEqual(open.body.items, [], one.kind)
      }
      yield* round
      const empty = yield* get(secret, "")
      assert.deepStrictEqual(empty.body, { counts: [], items: [] })
      const sql = yield* SqlClient.SqlClient
      const kept = yield* sql`SELECT kind, settled_by FROM todo_item ORDER BY kind`
      assert.deepStrictEqual(kept, [
        { kind: "callback", settled_by: "A support" },
        { kind: "orphan", settled_by: "A support" }
      ])
      const events = yield* sql`SELECT subject_kind, reason FROM audit_event WHERE action = 'todo.settle' ORDER BY 1`
      assert.deepStrictEqual(events, [
        { subject_kind: "todo_callback", reason: "Released at the vendor" },
        { subject_kind: "todo_orphan", reason: "Released at the vendor" }
      ])

      // A proxy that staff end and that runs on.
      yield* sql`INSERT INTO order_release (order_id, created_at, try_at) VALUES (${order_id}, '1969-01-01', 'infinity')`
      const stuck = yield* get(secret, "?kind=proxy_release")
      assert.deepStrictEqual(
        stuck.body.items.map(({ detail, id, user_id }: any) => [detail, id, user_id]),
        [["memory", order_id, user_id]]
      )
      yield* sql`DELETE FROM order_release`
    })
  )

  it.effect("notifies again when a cause comes again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* newStaff("owner")
      const { calls, round } = yield* receiver
      const low = { provider: "iproyal", balance_usd: 0, read_at: new Date(0) }
      yield* sql`DELETE FROM vendor_balance`
      yield* sql`INSERT INTO vendor_balance ${sql.insert({ ...low, low_since: DateTime.toDate(yield* DateTime.now) })}`
      yield* round
      yield* sql`UPDATE vendor_balance SET low_since = NULL`
      yield* round
      yield* sql`UPDATE vendor_balance SET low_since = ${DateTime.toDate(yield* DateTime.now)}`
      yield* round
      assert.deepStrictEqual(yield* calls, ["vendor_balance", "vendor_balance"])
      assert.isAtLeast((yield* mails).length, 2)
      yield* sql`DELETE FROM vendor_balance`
    })
  )

  it.effect("notifies of a new item although many older ones of its kind are open", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { notify } = yield* TodoRepo
      const later = DateTime.add(yield* DateTime.now, { days: 2 })
      const notified = Effect.map(notify(later, null, 1), (items) =>
        items.filter(({ kind }) => kind === "vendor_balance").map(({ id }) => id)
      )
      const low = (provider: string, since: DateTime.Utc) =>
        sql`INSERT INTO vendor_balance ${sql.insert({
          provider,
          balance_usd: 1n,
          low_since: DateTime.toDate(since),
          read_at: DateTime.toDate(since)
        })}`
      yield* low("first", DateTime.subtract(later, { minutes: 2 }))
      assert.deepStrictEqual(yield* notified, ["first"])
      yield* low("second", DateTime.subtract(later, { minutes: 1 }))
      assert.deepStrictEqual([yield* notified, yield* notified], [["second"], []])
      yield* sql`DELETE FROM vendor_balance`
    }).pipe(Effect.provide(TodoRepo.layer))
  )

  it.effect("refuses to settle what ends by itself, and what is not there", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("owner"))
      const refused = yield* settle(secret, "vendor_balance", "iproyal")
      assert.deepStrictEqual([refused.status, refused.body.details.reason], [409, "ends_itself"])
      assert.strictEqual((yield* settle(secret, "orphan", "nothing")).status, 404)
      assert.strictEqual((yield* settle(secret, "orphan", "nothing", "no")).status, 422)
      const viewer = yield* newSession(yield* newStaff("viewer"))
      assert.strictEqual((yield* settle(viewer, "orphan", "nothing")).status, 403)
      const [support, finance] = [yield* newStaff("support"), yield* newStaff("finance")]
      assert.strictEqual((yield* settle(yield* newSession(support), "dispute", "du_1")).status, 403)
      assert.strictEqual((yield* settle(yield* newSession(finance), "orphan", "nothing")).status, 403)
    })
  )
})
