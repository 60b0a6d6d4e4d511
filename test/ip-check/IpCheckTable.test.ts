import { assert, layer } from "@effect/vitest"
import { Cause, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import { Atomically } from "../../src/platform/postgres/Atomically.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { balanceOf, buyer } from "../support/OrderTesting.ts"
import { check, layer as domain, newIp, price } from "./IpCheckTesting.ts"

/** The constraint that refused a statement. */
const whyNot = <A, E, R>(write: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(Effect.sandbox(write)), (cause) => {
    const error: any = Cause.squash(cause)
    return String(error.reason?.cause ?? error)
  })

const insert = Effect.fnUntraced(function* (user_id: UserId, fields: object = {}) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.now
  const row = {
    id: randomUUID(),
    user_id,
    ip: newIp(),
    status: "pending",
    is_free: true,
    amount: 0n,
    settle_at: DateTime.toDate(DateTime.add(now, { seconds: 15 })),
    created_at: DateTime.toDate(now),
    ...fields
  }
  yield* sql`INSERT INTO ip_check ${sql.insert(row)}`
  return row
})

const pay = (user_id: UserId, id: string, amount = price) =>
  Wallets.use((wallets) =>
    wallets.charge({
      user_id,
      currency: "USD",
      spender: null,
      entries: [{ order_id: null, reference: `ip_check:${id}`, amount, amount_usd: amount, description: "Check" }]
    })
  )

const atomically = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Atomically, (atomically) => atomically(work))

const paid = Effect.fnUntraced(function* (user_id: UserId) {
  const row = yield* atomically(
    Effect.tap(insert(user_id, { is_free: false, amount: price }), ({ id }) => pay(user_id, id))
  )
  return row.id
})

const booked = "is free, or paid for, or failed and refunded"

layer(domain, { excludeTestServices: true })("The database of IP checks", (it) => {
  it.effect("allows one pending check per address", () =>
    Effect.gen(function* () {
      const { user_id } = yield* buyer(0n)
      const { ip } = yield* insert(user_id)
      assert.include(yield* whyNot(insert(user_id, { ip })), "ip_check_pending")
    })
  )

  it.effect("accepts addresses only in canonical form", () =>
    Effect.gen(function* () {
      const { user_id } = yield* buyer(0n)
      for (const ip of ["2606:4700:0::1", "2606:4700::A", "8.8.8.8/32"])
        assert.include(yield* whyNot(insert(user_id, { ip })), "ip_check_ip_check")
    })
  )

  it.effect("requires the exact payment of the owner for a paid check, and none for a free one", () =>
    Effect.gen(function* () {
      const { user_id } = yield* buyer(1_000_000n)
      const other = yield* buyer(1_000_000n)
      const costly = { is_free: false, amount: price }
      assert.include(yield* whyNot(insert(user_id, costly)), booked)
      for (const [payer, amount, fields] of [
        [other.user_id, price, costly],
        [user_id, price + 1n, costly],
        [user_id, price, {}]
      ] as const) {
        const write = atomically(Effect.tap(insert(user_id, fields), ({ id }) => pay(payer, id, amount)))
        assert.include(yield* whyNot(write), booked)
      }
      const free = yield* insert(user_id)
      assert.include(yield* whyNot(pay(user_id, free.id)), booked)
      assert.include(yield* whyNot(pay(user_id, randomUUID())), booked)
      assert.strictEqual(yield* balanceOf(user_id), 1_000_000n)
    })
  )

  it.effect("requires a refund for a failed check, and allows none for others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user_id } = yield* buyer(price)
      const id = yield* paid(user_id)
      const fail = sql`UPDATE ip_check SET status = 'failed', settle_at = NULL WHERE id = ${id}`
      const refund = Wallets.use((wallets) =>
        wallets.refund({ order_id: null, payment_reference: `ip_check:${id}`, reference: id, description: "Refund" })
      )
      assert.include(yield* whyNot(fail), booked)
      assert.include(yield* whyNot(refund), booked)
      yield* atomically(Effect.andThen(fail, refund))
      assert.strictEqual(yield* balanceOf(user_id), price)
    })
  )

  it.effect.each([
    "ip = '9.9.9.9'",
    "user_id = gen_random_uuid()",
    "amount = amount + 1",
    "is_free = true, amount = 0",
    "created_at = created_at - interval '1 day'"
  ])("forbids to change a check: %s", (assignment) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user_id } = yield* buyer(price)
      const id = yield* paid(user_id)
      const edit = sql`UPDATE ip_check SET ${sql.literal(assignment)} WHERE id = ${id}`
      assert.include(yield* whyNot(edit), "does not change")
    })
  )

  it.effect("forbids to change an ended check, and to delete a check", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const caller = yield* buyer(price)
      const { id } = (yield* check(caller, newIp())).answer
      for (const edit of [
        sql`UPDATE ip_check SET risk_score = 0 WHERE id = ${id}`,
        sql`UPDATE ip_check SET verdict = 'risky' WHERE id = ${id}`,
        sql`DELETE FROM ip_check WHERE id = ${id}`,
        sql`TRUNCATE ip_check CASCADE`
      ])
        assert.include(yield* whyNot(edit), "does not change")
    })
  )

  it.effect("requires a whole result for a completed check, and a lease for a pending one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { user_id } = yield* buyer(0n)
      const { id } = yield* insert(user_id)
      for (const assignment of ["status = 'completed', settle_at = NULL", "settle_at = NULL", "status = 'failed'"]) {
        const edit = sql`UPDATE ip_check SET ${sql.literal(assignment)} WHERE id = ${id}`
        assert.include(yield* whyNot(edit), "violates check constraint")
      }
    })
  )
})
