import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { UserId } from "../../src/accounts/User.ts"
import { household } from "../dashboard/FormTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff, newToken } from "./StaffTesting.ts"

const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

const get = (path: string, secret: string) => request("GET", `/v1/admin${path}`, { headers: bearer(secret) })

const post = (path: string, secret: string, body: object) =>
  request("POST", `/v1/admin${path}`, {
    headers: { ...bearer(secret), "idempotency-key": randomUUID() },
    body
  })

const reasons = { reason_code: "outage", reason: "Down for a day" }

layer(TestApp.layerSandbox, { timeout: "2 minutes" })("An order for staff", (it) => {
  it.effect("shows what was bought by whom, and everything that happened, the newest first", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("owner"))
      const { account, ids, user_id } = yield* household
      const id = ids["order_id"] ?? ""
      const user = UserId.make(user_id)
      const refused = yield* post(`/orders/${id}/release`, yield* newSession(yield* newStaff("finance")), {
        reason: "Refused and on record"
      })
      assert.strictEqual(refused.status, 403)
      const half = { kind: "amount", amount: "0.75", ...reasons }
      const rehearsed = yield* post(`/orders/${id}/refund-rehearsal`, secret, half)
      assert.deepInclude(rehearsed.body, { status: "booked", amount: "0.75", order_id: id })
      assert.deepStrictEqual((yield* get(`/refunds?order_id=${id}`, secret)).body.items, [])
      assert.strictEqual((yield* post(`/orders/${id}/refunds`, secret, half)).status, 200)
      const credit = { kind: "goodwill", user_id: user, amount: "1.00", order_id: id, ...reasons }
      assert.strictEqual((yield* post("/adjustments", secret, credit)).status, 200)
      const hold = { preset: "hold", reason_code: "fraud", internal_reason: "Card testing", public_reason: "Ask us." }
      const held = yield* post(`/customers/${user}/restrictions`, secret, hold)
      assert.strictEqual((yield* post(`/restrictions/${held.body.id}/lift`, secret, { reason: "Settled" })).status, 200)
      yield* request("PATCH", `/v1/orders/${id}`, { user: account.token, body: { auto_renew: true } })

      const { body, status } = yield* get(`/orders/${id}`, secret)
      assert.strictEqual(status, 200)
      assert.deepInclude(body, {
        id,
        user_id,
        email: account.email,
        status: "provisioned",
        total: "1.50",
        currency: "USD"
      })
      for (const secretField of ["username", "password"]) assert.notProperty(body, secretField)
      const kinds = body.timeline.map(({ kind }: any) => kind)
      for (const kind of [
        "ordered",
        "entry",
        "delivery_began",
        "delivery_ended",
        "refund_asked",
        "adjustment",
        "restricted",
        "lifted",
        "staff"
      ])
        assert.include(kinds, kind)
      const times = body.timeline.map(({ at }: any) => Date.parse(at))
      assert.deepStrictEqual(
        times,
        times.toSorted((a: number, b: number) => b - a)
      )
      const reader = yield* newToken(yield* newStaff("support"), ["order.read"])
      const { body: less } = yield* get(`/orders/${id}`, reader)
      const seen = new Set<string>(less.timeline.map(({ kind }: any) => kind))
      assert.isTrue(seen.has("ordered") && seen.has("delivery_ended"))
      for (const kind of ["entry", "refund_asked", "adjustment", "restricted", "lifted", "staff"])
        assert.isFalse(seen.has(kind), kind)
      assert.notInclude(JSON.stringify(less.timeline), "Card testing")
      const refund = body.timeline.find(({ kind }: any) => kind === "refund_asked")
      assert.deepInclude(refund, { state: "booked", amount: "0.75", detail: "amount to wallet: Down for a day" })
    })
  )

  it.effect("that was paid from outside shows its payment, also while it waits", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("support"))
      const { ids } = yield* household
      const { body } = yield* get(`/orders/${ids["unpaid_id"]}`, secret)
      const asked = body.timeline.find(({ kind }: any) => kind === "payment_asked")
      assert.deepInclude(asked, { state: "pending", id: body.payment_intent_id })
    })
  )

  it.effect("has at most 200 things that happened", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const secret = yield* newSession(yield* newStaff("support"))
      const { ids } = yield* household
      // A trigger keeps only the newest events of a kind.
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SET LOCAL session_replication_role = replica`
          yield* sql`
            INSERT INTO order_event (id, order_id, kind, actor, occurred_at)
            SELECT gen_random_uuid(), ${ids["order_id"] ?? ""}, 'rotated', 'session',
              '2030-01-01'::timestamptz + n * interval '1 second'
            FROM generate_series(1, 300) n
          `
        })
      )
      const { body } = yield* get(`/orders/${ids["order_id"]}`, secret)
      assert.lengthOf(body.timeline, 200)
      assert.deepInclude(body.timeline[0], { kind: "event", state: "rotated", by: "session" })
    })
  )

  it.effect("hides the email from a viewer, and is not found when there is none", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("viewer"))
      const { account, ids } = yield* household
      const { body } = yield* get(`/orders/${ids["order_id"]}`, secret)
      assert.strictEqual(body.email, account.email.replace(/^(.).*@/, "$1***@"))
      assert.strictEqual((yield* get(`/orders/${randomUUID()}`, secret)).status, 404)
    })
  )
})
