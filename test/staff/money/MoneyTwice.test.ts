import { assert, layer } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { HttpApiGroup } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { AdminApi } from "../../../src/AdminApi.ts"
import { ApiKeys } from "../../../src/accounts/api-keys/ApiKeys.ts"
import * as CatalogSync from "../../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../../src/catalog/CatalogWriter.ts"
import { MovesMoney } from "../../../src/staff/StaffAuthenticationApi.ts"
import { Payouts } from "../../../src/wallet/payouts/Payouts.ts"
import { fund, newUser } from "../../support/Fixtures.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"
import { asked, verify } from "../../wallet/payouts/PayoutTesting.ts"
import { newSession, newStaff } from "../StaffTesting.ts"

const post = (secret: string, path: string, body: unknown, key = randomUUID()) =>
  request("POST", `/v1/admin${path}`, {
    headers: { authorization: `Bearer ${secret}`, "idempotency-key": key },
    ...(body !== undefined && { body })
  })

const reason = "Down for a day"
const reasons = { reason_code: "outage", reason }

const people = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The lower limit of operations that move money is a minute.
  yield* TestClock.adjust("1 minute")
  // Without its limits, support requests every refund.
  yield* sql`DELETE FROM staff_limit WHERE role = 'support' AND action = 'refund_wallet'`
  const [owner, support] = [yield* newStaff("owner"), yield* newStaff("support")]
  return { owner: yield* newSession(owner), support: yield* newSession(support) }
})

const funded = Effect.gen(function* () {
  const user = yield* newUser
  yield* verify(user)
  yield* fund(user, 100_000_000n)
  return user
})

const delivered = Effect.fnUntraced(function* (kind = "datacenter") {
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
  const user = yield* funded
  const { key } = yield* ApiKeys.use((keys) => keys.create(user, { name: "key" }))
  const { body: catalog } = yield* request("GET", "/v1/catalog")
  const offer_id = catalog.kinds.find((one: any) => one.kind === kind).offers[0].id
  const { body } = yield* request("POST", "/v1/orders", { key, body: { offer_id, payment_method: "wallet" } })
  return body[0].id as string
})

/** The id of a credit of 3 dollars, or of a request above the limit of support. */
const credit = Effect.fnUntraced(function* (secret: string, amount: string) {
  const body = { kind: "goodwill", user_id: yield* funded, amount, ...reasons }
  return (yield* post(secret, "/adjustments", body)).body.id as string
})

const part = { kind: "amount", amount: "0.75", ...reasons }

const refund = Effect.fnUntraced(function* (secret: string) {
  return (yield* post(secret, `/orders/${yield* delivered()}/refunds`, part)).body.id as string
})

const payout = Effect.gen(function* () {
  const user = yield* funded
  return (yield* Payouts.use((payouts) => payouts.request(asked(user)))).id
})

type People = Effect.Success<typeof people>

/** The path and the body of an operation that can be done now, and who sends it. */
const cases = {
  createAdjustment: (people: People) =>
    Effect.map(funded, (user_id) => [
      people.support,
      "/adjustments",
      { kind: "goodwill", user_id, amount: "5.00", ...reasons }
    ]),
  revokeAdjustment: ({ owner }: People) =>
    Effect.map(credit(owner, "3.00"), (id) => [owner, `/adjustments/${id}/revoke`, reasons]),
  approveAdjustment: ({ owner, support }: People) =>
    Effect.map(credit(support, "10.01"), (id) => [owner, `/adjustments/${id}/approve`, undefined]),
  declineAdjustment: ({ owner, support }: People) =>
    Effect.map(credit(support, "10.01"), (id) => [owner, `/adjustments/${id}/decline`, undefined]),
  createRefund: ({ owner }: People) => Effect.map(delivered(), (id) => [owner, `/orders/${id}/refunds`, part]),
  approveRefund: ({ owner, support }: People) =>
    Effect.map(refund(support), (id) => [owner, `/refunds/${id}/approve`, undefined]),
  declineRefund: ({ owner, support }: People) =>
    Effect.map(refund(support), (id) => [owner, `/refunds/${id}/decline`, undefined]),
  retryRefund: ({ owner }: People) => Effect.map(refund(owner), (id) => [owner, `/refunds/${id}/retry`, undefined]),
  approvePayout: ({ owner }: People) => Effect.map(payout, (id) => [owner, `/payouts/${id}/approve`, { reason }]),
  sendPayout: ({ owner }: People) =>
    Effect.gen(function* () {
      const id = yield* payout
      yield* post(owner, `/payouts/${id}/approve`, { reason })
      return [owner, `/payouts/${id}/sent`, { reference: "SEPA 4711", reason }]
    }),
  declinePayout: ({ owner }: People) =>
    Effect.map(payout, (id) => [owner, `/payouts/${id}/decline`, { customer_text: "No owner", reason }]),
  extendOrder: ({ owner }: People) =>
    Effect.map(delivered("datacenter"), (id) => [owner, `/orders/${id}/extend`, { months: 1, reason }])
} as const satisfies Record<string, (people: People) => Effect.Effect<ReadonlyArray<unknown>, any, any>>

/** The number of everything that an operation could do twice. */
const made = SqlClient.SqlClient.use((sql) =>
  Effect.map(
    sql`
      SELECT (SELECT count(*)::int FROM wallet_transaction) AS entries,
        (SELECT count(*)::int FROM wallet_adjustment) AS adjustments, (SELECT count(*)::int FROM order_refund) AS refunds,
        (SELECT count(*)::int FROM gateway_refund) AS sent, (SELECT count(*)::int FROM proxy_change) AS changes,
        (SELECT count(*)::int FROM audit_event WHERE outcome = 'done') AS events
    `,
    (rows) => rows[0]
  )
)

layer(TestApp.layer())("Every operation of staff that moves money", (it) => {
  it("is in the table of this test", () => {
    const groups = Object.values(AdminApi.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>
    const moving = groups.flatMap(({ endpoints }) =>
      Object.values(endpoints).flatMap(({ annotations, identifier }) =>
        Context.get(annotations, MovesMoney) ? identifier : []
      )
    )
    assert.sameMembers(Object.keys(cases), moving)
  })

  it.effect.each(Object.keys(cases) as ReadonlyArray<keyof typeof cases>)("acts once for a key: %s", (name) =>
    Effect.gen(function* () {
      const [secret, path, body] = (yield* cases[name](yield* people)) as [string, string, unknown]
      const before = yield* made
      const key = randomUUID()
      const first = yield* post(secret, path, body, key)
      assert.strictEqual(first.status, 200, JSON.stringify(first.body))
      const after = yield* made
      assert.notDeepEqual(after, before)
      const again = yield* post(secret, path, body, key)
      assert.deepStrictEqual([again.status, again.headers["idempotency-replayed"]], [200, "true"])
      assert.deepStrictEqual(yield* made, after)
    })
  )
})
