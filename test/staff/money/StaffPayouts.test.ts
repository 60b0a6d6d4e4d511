import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { randomUUID } from "node:crypto"
import { Payouts } from "../../../src/wallet/payouts/Payouts.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import { fund, newUser } from "../../support/Fixtures.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"
import { dollar } from "../../wallet/adjustments/MoneyTesting.ts"
import { asked, verify } from "../../wallet/payouts/PayoutTesting.ts"
import { newSession, newStaff, newToken } from "../StaffTesting.ts"

const post = (secret: string, path: string, body: unknown, key = randomUUID()) =>
  request("POST", `/v1/admin${path}`, {
    headers: { authorization: `Bearer ${secret}`, "idempotency-key": key },
    body
  })

const get = (secret: string, path: string) =>
  request("GET", `/v1/admin${path}`, { headers: { authorization: `Bearer ${secret}` } })

const reason = "Checked the payments"

const people = Effect.gen(function* () {
  // The lower limit of operations that move money is a minute.
  yield* TestClock.adjust("1 minute")
  const finance = yield* newStaff("finance")
  return {
    finance: yield* newSession(finance),
    support: yield* newSession(yield* newStaff("support")),
    token: yield* newToken(finance, ["payout.read", "payout.settle"])
  }
})

/** A customer who asked for 40 of 100 dollars. */
const requested = Effect.gen(function* () {
  const user = yield* newUser
  yield* verify(user)
  yield* fund(user, 100n * dollar)
  const { id } = yield* Payouts.use((payouts) => payouts.request(asked(user)))
  const balance = Effect.map(
    Wallets.use((wallets) => wallets.balance(user, "USD")),
    (wallet) => wallet.balance
  )
  return { balance, id, user }
})

layer(TestApp.layer())("A withdrawal at the admin API", (it) => {
  it.effect("is approved and sent once for a key, and the audit log says by whom and why", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { finance, support } = yield* people
      const { balance, id, user } = yield* requested
      const shown = yield* get(support, `/payouts/${id}`)
      assert.deepInclude(shown.body, { id, user_id: user, amount: "40.00", status: "requested", approved_by: null })
      assert.strictEqual(shown.body.destination, "***lace")
      assert.match((yield* get(finance, `/payouts/${id}`)).body.destination, /^IBAN/)
      assert.strictEqual((yield* post(support, `/payouts/${id}/approve`, { reason })).status, 403)
      const [one, other] = [randomUUID(), randomUUID()]
      const approved = yield* post(finance, `/payouts/${id}/approve`, { reason }, one)
      assert.deepStrictEqual([approved.status, approved.body.status], [200, "approved"])
      const again = yield* post(finance, `/payouts/${id}/approve`, { reason }, one)
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      assert.match(approved.body.destination, /^IBAN/)
      assert.strictEqual(again.body.destination, "***lace")
      const kept = yield* sql`SELECT id FROM staff_action WHERE answer::text LIKE '%IBAN%'`
      assert.lengthOf(kept, 0)
      const early = yield* post(finance, `/payouts/${id}/sent`, { reason }, other)
      assert.strictEqual(early.status, 422)
      const sent = yield* post(finance, `/payouts/${id}/sent`, { reference: "SEPA 4711", reason }, other)
      assert.deepStrictEqual([sent.status, sent.body.status, sent.body.reference], [200, "sent", "SEPA 4711"])
      const late = yield* post(finance, `/payouts/${id}/decline`, { customer_text: "Too late", reason })
      assert.deepStrictEqual([late.status, late.body.details], [409, { reason: "already_decided", status: "sent" }])
      assert.strictEqual(yield* balance, 60n * dollar)
      const { body: log } = yield* get(finance, `/audit?subject_id=${id}&outcome=done`)
      assert.deepStrictEqual(
        log.items.map(({ action, after, reason }: any) => [action, after.status, reason]),
        [
          ["payout.settle", "sent", reason],
          ["payout.settle", "approved", reason]
        ]
      )
      const { body: masked } = yield* get(support, `/payouts?user_id=${user}`)
      assert.deepInclude(masked.items[0], { destination: "***lace", reference: "***4711" })
      const { body: listed } = yield* get(finance, `/payouts?user_id=${user}&status=sent`)
      assert.deepStrictEqual(listed, { items: [sent.body], next: null })
    })
  )

  it.effect("is declined with a reason for the customer, and needs a fresh confirmation", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { finance, token } = yield* people
      const { balance, id } = yield* requested
      const body = { customer_text: "Please name the owner.", reason }
      const byToken = yield* post(token, `/payouts/${id}/decline`, body)
      assert.deepStrictEqual([byToken.status, byToken.body.details.reason], [403, "step_up_needed"])
      const declined = yield* post(finance, `/payouts/${id}/decline`, body)
      assert.deepStrictEqual([declined.status, declined.body.status], [200, "declined"])
      assert.strictEqual(yield* balance, 100n * dollar)
      yield* sql`UPDATE staff_session SET confirmed_at = created_at - interval '1 hour'`
      const stale = yield* post(finance, `/payouts/${id}/approve`, { reason })
      assert.deepStrictEqual([stale.status, stale.body.details.reason], [403, "step_up_needed"])
      assert.strictEqual((yield* get(finance, `/payouts/${randomUUID()}`)).status, 404)
    })
  )

  it.effect("of a stopped customer, or above the limits, is not approved, and the refusal is on record", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { finance } = yield* people
      const { id, user } = yield* requested
      yield* sql`UPDATE wallet SET spending_blocked = true WHERE user_id = ${user}`
      const stopped = yield* post(finance, `/payouts/${id}/approve`, { reason })
      assert.deepStrictEqual([stopped.status, stopped.body.details.reason], [409, "customer_stopped"])
      yield* sql`UPDATE wallet SET spending_blocked = false WHERE user_id = ${user}`
      yield* sql`UPDATE staff_limit SET per_action = 39000000 WHERE action = 'payout' AND role = 'finance'`
      const key = randomUUID()
      const above = yield* post(finance, `/payouts/${id}/approve`, { reason }, key)
      assert.deepStrictEqual([above.status, above.body.details.reason], [403, "limit_reached"])
      const { body: log } = yield* get(finance, `/audit?subject_id=${key}&outcome=refused`)
      assert.lengthOf(log.items, 1)
    })
  )
})

layer(TestApp.layer())("The disputes at the admin API", (it) => {
  it.effect("are listed page by page, and shown by their id", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { support } = yield* people
      const user = yield* newUser
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SET LOCAL session_replication_role = replica`
          for (const n of [1, 2, 3]) {
            const at = new Date(n * 1000)
            yield* sql`INSERT INTO payment_charge ${sql.insert({
              payment_method: "card_gateway",
              charge_id: `pi_${n}`,
              payment_intent_id: randomUUID(),
              transaction_id: randomUUID(),
              user_id: user,
              currency: "USD",
              amount: 25n * dollar,
              created_at: at
            })}`
            yield* sql`INSERT INTO payment_reversal ${sql.insert({
              payment_method: "card_gateway",
              reversal_id: `du_${n}`,
              charge_id: `pi_${n}`,
              user_id: user,
              currency: "USD",
              kind: "dispute",
              status: "taken",
              amount: 25n * dollar,
              debited: 0n,
              dispute_state: "needs_answer",
              reason: "fraudulent",
              answer_by: new Date(86_400_000),
              created_at: at,
              updated_at: at
            })}`
          }
        })
      )
      const first = yield* get(support, "/disputes?limit=2")
      assert.deepStrictEqual(
        [first.status, first.body.items.map(({ id }: any) => id), first.body.next],
        [200, ["du_3", "du_2"], "du_2"]
      )
      const second = yield* get(support, "/disputes?limit=2&after=du_2")
      assert.deepStrictEqual([second.body.items.map(({ id }: any) => id), second.body.next], [["du_1"], null])
      const waiting = yield* get(support, "/disputes?state=needs_answer&limit=2")
      assert.deepStrictEqual(
        [waiting.body.items.map(({ id }: any) => id), waiting.body.next],
        [["du_1", "du_2"], "du_2"]
      )
      const rest = yield* get(support, "/disputes?state=needs_answer&limit=2&after=du_2")
      assert.deepStrictEqual([rest.body.items.map(({ id }: any) => id), rest.body.next], [["du_3"], null])
      const { body: shown } = yield* get(support, "/disputes/du_3")
      assert.deepInclude(shown, {
        id: "du_3",
        state: "needs_answer",
        reason: "fraudulent",
        amount: "25.00",
        debited: "0.00",
        short: "25.00",
        answer_by: "1970-01-02T00:00:00.000Z"
      })
      assert.strictEqual((yield* get(support, "/disputes/du_4")).status, 404)
      assert.deepStrictEqual((yield* get(support, "/disputes?state=won")).body.items, [])
    })
  )
})
