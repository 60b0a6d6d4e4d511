import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { newPerson } from "../accounts/AccountsServer.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { newSession, newStaff, newToken } from "./StaffTesting.ts"

const reason = "The customer says that it is paid"

const get = (path: string, secret: string) =>
  request("GET", `/v1/admin${path}`, { headers: { authorization: `Bearer ${secret}` } })

const post = (path: string, secret: string, body: object, key: string = randomUUID()) =>
  request("POST", `/v1/admin${path}`, {
    headers: { authorization: `Bearer ${secret}`, "idempotency-key": key },
    body
  })

/** A deposit of 25 dollars that waits for its payment. */
const waiting = Effect.gen(function* () {
  const { access_token } = yield* newPerson
  const body = { amount: 25, currency: "USD", payment_method: "card_gateway" }
  const deposit = yield* request("POST", "/v1/payments/deposits", { user: access_token, body })
  return { id: deposit.body.payment_intent_id as string, access_token }
})

const report = ({ body, headers, payment_method }: ReturnType<MemoryPaymentGateways["Service"]["pay"]>) =>
  request("POST", `/v1/payments/callbacks/${payment_method}`, { headers, body: new TextDecoder().decode(body) })

layer(TestApp.layer(), { timeout: "1 minute" })("A payment for staff", (it) => {
  it.effect("shows its charges, the calls of its gateway with their verdicts, and what went back", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const secret = yield* newSession(yield* newStaff("support"))
      const { id } = yield* waiting
      const charge_id = `charge_${id}`
      assert.strictEqual((yield* report(gateways.pay(id))).status, 200)
      yield* report(gateways.pay(id))
      const dispute = {
        charge_id,
        reversal_id: `du_${id}`,
        kind: "dispute",
        status: "taken",
        amount: 5_000_000n
      } as const
      yield* report(gateways.reverse(id, dispute))

      const { body, status } = yield* get(`/payments/${id}`, secret)
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { id, status: "paid", amount: "25.00", payment_method: "card_gateway", orders: [] })
      assert.deepStrictEqual(
        body.charges.map((charge: any) => [charge.charge_id, charge.amount]),
        [[charge_id, "25.00"]]
      )
      assert.deepStrictEqual(
        body.callbacks.map(({ outcome }: any) => outcome),
        ["reversed", "duplicate", "paid"]
      )
      assert.deepInclude(body.reversals[0], {
        reversal_id: `du_${id}`,
        kind: "dispute",
        status: "taken",
        amount: "5.00"
      })

      const token = yield* newToken(yield* newStaff("support"), ["payment.read"])
      const { body: partly } = yield* get(`/payments/${id}`, token)
      assert.deepStrictEqual([partly.charges.length, partly.refunds, partly.reversals, partly.orders], [1, [], [], []])

      for (const q of [id, charge_id, body.external_reference, body.user_id, body.email]) {
        const found = yield* get(`/payments?q=${encodeURIComponent(q)}`, secret)
        assert.deepStrictEqual(
          found.body.items.map((item: any) => item.id),
          [id],
          q
        )
      }
      const filtered = yield* get(`/payments?user_id=${body.user_id}&status=pending`, secret)
      assert.deepStrictEqual(filtered.body.items, [])
    })
  )

  it.effect("has lists in pages, and hides emails from a viewer", () =>
    Effect.gen(function* () {
      const secret = yield* newSession(yield* newStaff("viewer"))
      const [one, two] = [yield* waiting, yield* waiting]
      const first = yield* get("/payments?limit=1", secret)
      assert.strictEqual(first.body.items[0].id, two.id)
      assert.match(first.body.items[0].email, /\*\*\*/)
      const second = yield* get(`/payments?limit=1&after=${first.body.next}`, secret)
      assert.strictEqual(second.body.items[0].id, one.id)
    })
  )

  it.effect("is settled by a look-up at its gateway, once for a key", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const sql = yield* SqlClient.SqlClient
      const secret = yield* newSession(yield* newStaff("support"))
      const { access_token, id } = yield* waiting
      const balance = Effect.map(
        request("GET", "/v1/wallet/balance?currency=USD", { user: access_token }),
        ({ body }) => body.balance
      )
      const nothing = yield* post(`/payments/${id}/look-up`, secret, { reason })
      assert.deepStrictEqual([nothing.status, nothing.body.status], [200, "pending"])
      gateways.payUnreported(id)
      const key = randomUUID()
      const paid = yield* post(`/payments/${id}/look-up`, secret, { reason }, key)
      assert.deepStrictEqual([paid.status, paid.body.status], [200, "paid"])
      assert.strictEqual(yield* balance, 25)
      const again = yield* post(`/payments/${id}/look-up`, secret, { reason }, key)
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      gateways.reverseUnreported({
        charge_id: `charge_${id}`,
        reversal_id: `re_${id}`,
        kind: "refund",
        status: "taken",
        amount: 10_000_000n
      })
      const back = yield* post(`/payments/${id}/look-up`, secret, { reason })
      assert.deepInclude(back.body.reversals[0], { kind: "refund", amount: "10.00" })
      assert.strictEqual(yield* balance, 15)
      const events = yield* sql`SELECT action FROM audit_event WHERE subject_id = ${id}`
      assert.deepStrictEqual(
        [...events],
        Array.from({ length: 3 }, () => ({ action: "payment.look_up" }))
      )
    })
  )

  it.effect("stays as it is while its gateway does not answer", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const secret = yield* newSession(yield* newStaff("finance"))
      const { id } = yield* waiting
      gateways.setDown(true)
      const { status } = yield* post(`/payments/${id}/look-up`, secret, { reason })
      gateways.setDown(false)
      assert.strictEqual(status, 503)
      assert.strictEqual((yield* get(`/payments/${id}`, secret)).body.status, "pending")
      assert.strictEqual((yield* post(`/payments/${randomUUID()}/look-up`, secret, { reason })).status, 404)
    })
  )

  it.effect("shows the raw call only to those who may read it, and the log says who did", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const sql = yield* SqlClient.SqlClient
      const [support, viewer] = [
        yield* newSession(yield* newStaff("support")),
        yield* newSession(yield* newStaff("viewer"))
      ]
      const { id } = yield* waiting
      yield* report(gateways.pay(id))
      const { body } = yield* get(`/payments/${id}`, viewer)
      const [{ id: callback }] = body.callbacks
      assert.strictEqual((yield* get(`/payment-callbacks/${callback}`, viewer)).status, 403)
      const raw = yield* get(`/payment-callbacks/${callback}`, support)
      assert.deepInclude(raw.body, { id: callback, outcome: "paid", payment_intent_id: id })
      assert.deepInclude(JSON.parse(raw.body.body), { charge_id: `charge_${id}` })
      const events = yield* sql`SELECT action, outcome FROM audit_event WHERE subject_id = ${callback}`
      assert.deepStrictEqual([...events], [{ action: "payment.body", outcome: "done" }])
    })
  )
})
