import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { household } from "../dashboard/FormTesting.ts"
import { offerId } from "../support/OrderTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff } from "./StaffTesting.ts"

const call = (secret: string, method: "GET" | "POST", path: string, body?: object, key: string = randomUUID()) =>
  request(method, `/v1/admin/promo-codes${path}`, {
    headers: { authorization: `Bearer ${secret}`, "idempotency-key": key },
    ...(body !== undefined && { body })
  })

layer(TestApp.layerSandbox, { timeout: "2 minutes" })("Promo codes by staff", (it) => {
  it.effect("are added once for a key, used, limited and ended, all on record", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const finance = yield* newSession(yield* newStaff("finance"))
      const { account, user_id } = yield* household
      const key = randomUUID()
      const terms = { code: "SPRING-20", kind: "percent", value: "20", use_limit: 5, account_limit: 2 }
      const added = yield* call(finance, "POST", "", terms, key)
      assert.strictEqual(added.status, 201)
      assert.deepInclude(added.body, { ...terms, uses: 0, expires_at: null, offer_ids: null, ended_at: null })
      assert.deepStrictEqual((yield* call(finance, "POST", "", terms, key)).body, added.body)
      assert.strictEqual((yield* call(finance, "POST", "", terms)).status, 409)
      const path = `/${added.body.id}`

      const buy = Effect.gen(function* () {
        const body = { offer_id: yield* offerId("Datacenter"), payment_method: "wallet", promo_code: "spring-20" }
        return yield* request("POST", "/v1/orders", { user: account.token, body })
      })
      const bought = yield* buy
      assert.strictEqual(bought.status, 201)
      const uses = yield* call(finance, "GET", `${path}/uses`)
      assert.deepInclude(uses.body.items[0], { order_id: bought.body[0].id, customer_id: user_id, released_at: null })
      assert.isNull(uses.body.next)
      assert.strictEqual((yield* call(finance, "GET", "")).body.items[0].uses, 1)

      const limits = { expires_at: null, use_limit: 1, account_limit: 2, reason: "The budget is spent" }
      const limited = yield* call(finance, "POST", `${path}/limits`, limits)
      assert.deepInclude(limited.body, { use_limit: 1, uses: 1 })
      assert.strictEqual((yield* buy).status, 422)

      const ended = yield* call(finance, "POST", `${path}/end`, { reason: "The action is over" })
      assert.isString(ended.body.ended_at)
      assert.strictEqual((yield* call(finance, "POST", `${path}/limits`, limits)).status, 409)
      const log = yield* sql<{ state: string; reason: string | null }>`
        SELECT after->>'state' AS state, reason FROM audit_event
        WHERE action = 'promo_code.change' AND outcome = 'done' ORDER BY id`
      assert.deepStrictEqual(log, [
        { state: "active", reason: null },
        { state: "active", reason: "The budget is spent" },
        { state: "disabled", reason: "The action is over" }
      ])
    })
  )

  it.effect("are refused with terms that make no sense, and to those who may only read", () =>
    Effect.gen(function* () {
      const owner = yield* newSession(yield* newStaff("owner"))
      const past = DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days: 1 }))
      const terms = { code: "GOOD", kind: "percent", value: "20" }
      const wrong = [
        { value: "0" },
        { value: "101" },
        { value: "2.5" },
        { kind: "fixed", value: "0" },
        { kind: "fixed", value: "much" },
        { code: "lower" },
        { expires_at: past },
        { use_limit: 0 },
        { offer_ids: [2_000_000] },
        { offer_ids: [] }
      ]
      for (const fields of wrong)
        assert.strictEqual(
          (yield* call(owner, "POST", "", { ...terms, ...fields })).status,
          422,
          JSON.stringify(fields)
        )
      const viewer = yield* newSession(yield* newStaff("viewer"))
      assert.strictEqual((yield* call(viewer, "POST", "", terms)).status, 403)
      assert.strictEqual((yield* call(viewer, "GET", "")).status, 200)
      assert.strictEqual((yield* call(viewer, "GET", `/${randomUUID()}/uses`)).status, 404)
    })
  )

  it.effect("are listed in pages, the newest first", () =>
    Effect.gen(function* () {
      const owner = yield* newSession(yield* newStaff("owner"))
      for (const code of ["PAGE-1", "PAGE-2", "PAGE-3"])
        assert.strictEqual((yield* call(owner, "POST", "", { code, kind: "fixed", value: "2.50" })).status, 201)
      const first = yield* call(owner, "GET", "?limit=2")
      const second = yield* call(owner, "GET", `?limit=2&after=${first.body.next}`)
      const codes = [...first.body.items, ...second.body.items].map(({ code }: any) => code)
      assert.deepStrictEqual(codes.slice(0, 3), ["PAGE-3", "PAGE-2", "PAGE-1"])
    })
  )
})
