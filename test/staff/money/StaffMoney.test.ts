import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import type { UserId } from "../../../src/accounts/User.ts"
import * as CatalogSync from "../../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../../src/catalog/CatalogWriter.ts"
import { fund, newUser } from "../../support/Fixtures.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"
import { newSession, newStaff } from "../StaffTesting.ts"

const post = (secret: string, path: string, body?: unknown, key = randomUUID()) =>
  request("POST", `/v1/admin${path}`, {
    headers: { authorization: `Bearer ${secret}`, "idempotency-key": key },
    ...(body !== undefined && { body })
  })

const get = (secret: string, path: string) =>
  request("GET", `/v1/admin${path}`, { headers: { authorization: `Bearer ${secret}` } })

const reasons = { reason_code: "outage", reason: "Down for a day" }
const credit = (user_id: UserId, amount: string) => ({ kind: "goodwill", user_id, amount, ...reasons })

const people = Effect.gen(function* () {
  // The lower limit of operations that move money is a minute.
  yield* TestClock.adjust("1 minute")
  const [owner, finance, support] = [yield* newStaff("owner"), yield* newStaff("finance"), yield* newStaff("support")]
  return { owner: yield* newSession(owner), finance: yield* newSession(finance), support: yield* newSession(support) }
})

/** A customer with a datacenter proxy for 1.50 dollars: the id of the account and of the order. */
const customer = Effect.gen(function* () {
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
  const user = yield* newUser
  yield* fund(user, 10_000_000n)
  const { key } = yield* ApiKeys.use((keys) => keys.create(user, { name: "key" }))
  const { body: catalog } = yield* request("GET", "/v1/catalog")
  const offer_id = catalog.kinds.find((kind: any) => kind.kind === "datacenter").offers[0].id
  const { body } = yield* request("POST", "/v1/orders", { key, body: { offer_id, payment_method: "wallet" } })
  const balance = Effect.map(
    request("GET", "/v1/wallet/balance?currency=USD", { key }),
    (answer) => answer.body.balance
  )
  return { user, key, order: body[0].id as string, balance }
})

layer(TestApp.layer())("Money by staff", (it) => {
  it.effect("is given once for a key, shown to the customer, and on record in the audit log", () =>
    Effect.gen(function* () {
      const { finance, support } = yield* people
      const { balance, key, user } = yield* customer
      const id = randomUUID()
      const body = { ...credit(user, "5.00"), customer_text: "Sorry for the outage" }
      const made = yield* post(support, "/adjustments", body, id)
      assert.deepStrictEqual(
        [made.status, made.body.id, made.body.status, made.body.amount],
        [200, id, "booked", "5.00"]
      )
      const again = yield* post(support, "/adjustments", body, id)
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      assert.deepStrictEqual(again.body, made.body)
      assert.strictEqual((yield* post(support, "/adjustments", { ...body, amount: "6.00" }, id)).status, 409)
      assert.strictEqual(yield* balance, 13.5)
      const { body: shown } = yield* request("GET", "/v1/wallet/transactions?transaction_type=deposit", { key })
      assert.strictEqual(shown.transactions[0].description, "Sorry for the outage")
      const { body: log } = yield* get(finance, `/audit?subject_id=${id}&outcome=done`)
      assert.deepInclude(log.items[0], { action: "adjustment.goodwill", user_id: user, reason: "Down for a day" })
      assert.deepInclude(log.items[0].after, { amount: "5.00", cause: "goodwill", status: "booked" })
    })
  )

  it.effect("above the limit of support waits for another person, who confirms with password and code", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { finance, support } = yield* people
      const { balance, user } = yield* customer
      const { body } = yield* post(support, "/adjustments", credit(user, "10.01"))
      assert.strictEqual(body.status, "requested")
      assert.strictEqual((yield* post(support, `/adjustments/${body.id}/approve`)).status, 403)
      const approved = yield* post(finance, `/adjustments/${body.id}/approve`)
      assert.deepStrictEqual([approved.status, approved.body.status], [200, "booked"])
      assert.strictEqual(yield* balance, 18.51)
      const other = yield* post(support, "/adjustments", credit(user, "10.01"))
      yield* sql`UPDATE staff_session SET confirmed_at = created_at - interval '1 hour'`
      const late = yield* post(finance, `/adjustments/${other.body.id}/decline`)
      assert.deepStrictEqual([late.status, late.body.details.reason], [403, "step_up_needed"])
      yield* TestClock.adjust("1 minute")
      const newer = yield* post(support, "/adjustments", credit(user, "10.01"))
      const waiting = yield* get(support, "/adjustments?status=requested&limit=1")
      assert.deepStrictEqual([waiting.body.items[0].id, waiting.body.next], [other.body.id, other.body.id])
      const rest = yield* get(support, `/adjustments?status=requested&limit=1&after=${other.body.id}`)
      assert.deepStrictEqual([rest.body.items[0].id, rest.body.next], [newer.body.id, null])
    })
  )

  it.effect("that corrects a balance is not for support, and a debit takes at most the balance", () =>
    Effect.gen(function* () {
      const { finance, support } = yield* people
      const { balance, user } = yield* customer
      const debit = { ...credit(user, "8.51"), kind: "debit" }
      const key = randomUUID()
      assert.strictEqual((yield* post(support, "/adjustments", debit, key)).status, 403)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT action, outcome, role FROM audit_event WHERE subject_id = ${key}`, [
        { action: "adjustment.correct", outcome: "refused", role: "support" }
      ])
      const refused = yield* post(finance, "/adjustments", debit)
      assert.deepStrictEqual([refused.status, refused.body.details.reason], [409, "balance_too_low"])
      assert.strictEqual((yield* post(finance, "/adjustments", { ...debit, amount: "8.50" })).status, 200)
      assert.strictEqual(yield* balance, 0)
      const given = yield* post(finance, "/adjustments", credit(user, "3.00"))
      const back = yield* post(finance, `/adjustments/${given.body.id}/revoke`, { amount: "1.00", ...reasons })
      assert.deepStrictEqual([back.body.amount, yield* balance], ["-1.00", 2])
    })
  )

  it.effect("returns a part of an order, and the rest with its end", () =>
    Effect.gen(function* () {
      const { finance, support } = yield* people
      const { balance, key, order, user } = yield* customer
      const preview = yield* get(support, `/orders/${order}/refund-preview`)
      assert.deepInclude(preview.body, { paid: "1.50", returned: "0.00", left: "1.50", is_whole_possible: true })
      const half = { kind: "amount", amount: "0.75", ...reasons }
      const id = randomUUID()
      const made = yield* post(support, `/orders/${order}/refunds`, half, id)
      assert.deepStrictEqual(
        [made.status, made.body.id, made.body.amount, made.body.status],
        [200, id, "0.75", "booked"]
      )
      assert.strictEqual(
        (yield* post(support, `/orders/${order}/refunds`, half, id)).headers["idempotency-replayed"],
        "true"
      )
      assert.strictEqual(yield* balance, 9.25)
      const beyond = yield* post(support, `/orders/${order}/refunds`, { ...half, amount: "0.76" })
      assert.deepStrictEqual([beyond.status, beyond.body.details], [409, { reason: "more_than_paid", left: "0.75" }])
      const toCard = yield* post(support, `/orders/${order}/refunds`, { ...half, destination: "gateway" })
      assert.strictEqual(toCard.status, 403)
      const rest = yield* post(support, `/orders/${order}/refunds`, { ...half, ends_service: true })
      assert.strictEqual(rest.status, 200)
      const { body } = yield* request("GET", `/v1/orders?limit=1`, { key })
      assert.deepStrictEqual([body.orders[0].status, yield* balance], ["cancelled", 10])
      const { body: listed } = yield* get(finance, `/refunds?user_id=${user}`)
      assert.lengthOf(listed.items, 2)
      assert.strictEqual((yield* get(support, `/refunds/${id}`)).body.amount, "0.75")
    })
  )

  it.effect("takes no malformed amount and no missing key", () =>
    Effect.gen(function* () {
      const { finance } = yield* people
      const { order, user } = yield* customer
      for (const amount of ["0", "-1", "1e3", "1.0000001", "1,00", "9999999999"])
        assert.strictEqual((yield* post(finance, "/adjustments", credit(user, amount))).status, 422, amount)
      const half = { kind: "amount", amount: "0.75", ...reasons }
      const headers = { authorization: `Bearer ${finance}` }
      assert.strictEqual(
        (yield* request("POST", `/v1/admin/orders/${order}/refunds`, { headers, body: half })).status,
        422
      )
      assert.strictEqual((yield* get(finance, `/orders/${randomUUID()}/refund-preview`)).status, 404)
    })
  )
})
