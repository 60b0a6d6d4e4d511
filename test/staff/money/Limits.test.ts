import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { fund, newUser } from "../../support/Fixtures.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"
import { newSession, newStaff, newToken } from "../StaffTesting.ts"

const ask = (secret: string, method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: object) =>
  request(method, `/v1/admin${path}`, {
    headers: { authorization: `Bearer ${secret}`, ...(method === "POST" && { "idempotency-key": randomUUID() }) },
    ...(body !== undefined && { body })
  })

const reason = "The summer is over"
const limit = "/limits/support/goodwill/USD"
const amounts = { per_action: "5.50", per_customer_30d: null, per_staff_day: "20" }

layer(TestApp.layer())("The limits of staff in the admin API", (it) => {
  it.effect("hold from the next action on, and are on record", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const owner = yield* newSession(yield* newStaff("owner"))
      const support = yield* newSession(yield* newStaff("support"))
      const user_id = yield* newUser
      yield* fund(user_id, 1_000_000n)
      const give = (amount: string) =>
        Effect.map(
          ask(support, "POST", "/adjustments", {
            kind: "goodwill",
            currency: "USD",
            user_id,
            amount,
            reason_code: "outage",
            reason
          }),
          ({ body }) => body.status
        )
      assert.strictEqual(yield* give("5.60"), "booked")
      const changed = yield* ask(owner, "PUT", limit, { ...amounts, reason })
      assert.deepStrictEqual(changed.body, {
        role: "support",
        action: "goodwill",
        currency: "USD",
        is_alone: true,
        per_action: "5.50",
        per_customer_30d: null,
        per_staff_day: "20.00"
      })
      assert.strictEqual(yield* give("5.60"), "requested")
      assert.strictEqual(yield* give("5.50"), "booked")
      const removed = yield* ask(owner, "DELETE", limit, { reason })
      assert.strictEqual(removed.body.is_alone, false)
      assert.strictEqual(yield* give("0.01"), "requested")
      const { items } = (yield* ask(owner, "GET", "/limits")).body
      assert.lengthOf(items, 30)
      const events = yield* sql<{ before: any; after: any; reason: string; subject_id: string }>`
        SELECT before, after, reason, subject_id FROM audit_event WHERE action = 'limit.change' ORDER BY id
      `
      assert.deepInclude(events[0], { subject_id: "support goodwill USD", reason })
      assert.deepInclude(events[0]?.before, { state: "alone", per_action: "10.00", per_customer_30d: "50.00" })
      assert.deepInclude(events[0]?.after, { state: "alone", per_action: "5.50", per_customer_30d: null })
      assert.deepStrictEqual(events[1]?.after, { state: "never alone" })
    })
  )

  it.effect("are changed by owners who confirm, and never by a token", () =>
    Effect.gen(function* () {
      const owner = yield* newStaff("owner")
      const token = yield* newToken(owner, ["limit.read", "limit.change"])
      const finance = yield* newSession(yield* newStaff("finance"))
      const support = yield* newSession(yield* newStaff("support"))
      assert.strictEqual((yield* ask(finance, "PUT", limit, { ...amounts, reason })).status, 403)
      assert.strictEqual((yield* ask(finance, "GET", "/limits")).status, 200)
      assert.strictEqual((yield* ask(support, "GET", "/limits")).status, 403)
      const refused = yield* ask(token, "PUT", limit, { ...amounts, reason })
      assert.deepStrictEqual([refused.status, refused.body.details.reason], [403, "step_up_needed"])
      const fresh = yield* newSession(owner)
      for (const [path, wrong] of [
        [limit, { per_action: "0" }],
        [limit, { per_action: "-1" }],
        ["/limits/support/goodwill/STAR", { per_action: "1.5" }],
        ["/limits/viewer/goodwill/USD", {}],
        [limit, { reason: "no" }]
      ] as const)
        assert.strictEqual((yield* ask(fresh, "PUT", path, { ...amounts, reason, ...wrong })).status, 422, path)
    })
  )
})
