import { assert, layer } from "@effect/vitest"
import { Effect, Record } from "effect"
import { OpenApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Api } from "../../../src/Api.ts"
import type { RawCallback } from "../../../src/wallet/gateways/PaymentGateway.ts"
import { faultsOf } from "../../support/Contract.ts"
import { deposited, type Vendor, vendors, worldOf } from "./GatewayPaymentsTesting.ts"
import { eventOf, putPayment, putReversals, sessionOf } from "./StripeTesting.ts"
import { preCheckoutUpdate } from "./TelegramTesting.ts"

/** Changes the last character of a call's signature. */
const forged = ({ body, headers }: RawCallback): RawCallback => ({
  headers: Record.map(headers, (value) => value.replace(/.$/, (last) => (last === "0" ? "1" : "0"))),
  body
})

const answered = {
  method: "POST",
  status: 200,
  headers: { "content-type": "application/json", "cache-control": "private, no-store" },
  body: `{"received":true}`
}

const suite = (name: string, vendor: Vendor) =>
  layer(worldOf(vendor))(`A payment through ${name}`, (it) => {
    it.effect("is credited once when it is reported many times simultaneously among forged calls", () =>
      Effect.gen(function* () {
        const { balance, call, payment_url, receive, status } = yield* deposited(vendor)
        assert.match(payment_url ?? "", /^https?:/)
        const genuine = call()
        const reports = Array.from({ length: 20 }, (_, index) =>
          index % 5 === 3 ? Effect.flip(receive(forged(genuine))) : receive(genuine)
        )
        const outcomes = yield* Effect.all(reports, { concurrency: "unbounded" })
        assert.strictEqual(outcomes.filter((outcome) => outcome === "paid").length, 1)
        assert.strictEqual(outcomes.filter((outcome) => outcome === "duplicate").length, 15)
        assert.strictEqual(yield* status, "completed")
        assert.strictEqual(yield* balance, 25)
      })
    )

    it.effect("is reported with a body that the OpenAPI document declares", () =>
      Effect.gen(function* () {
        const { call } = yield* deposited(vendor)
        const { paths } = OpenApi.fromApi(Api)
        const declared = paths["/v1/payments/callbacks/{payment_method}"]?.post?.requestBody?.content
        assert.deepStrictEqual(Object.keys(declared ?? {}), ["application/json"])
        const sent = new TextDecoder().decode(call().body)
        assert.deepStrictEqual(faultsOf({ ...answered, url: `/v1/payments/callbacks/${vendor.method}`, sent }), [])
      })
    )

    it.effect("changes nothing when the call is forged", () =>
      Effect.gen(function* () {
        const { balance, call, receive, status } = yield* deposited(vendor)
        const genuine = call()
        assert.strictEqual((yield* Effect.flip(receive(forged(genuine))))._tag, "CallbackRefused")
        assert.strictEqual((yield* Effect.flip(receive({ ...genuine, headers: {} })))._tag, "CallbackRefused")
        assert.strictEqual(yield* status, "pending")
        assert.strictEqual(yield* balance, 0)
      })
    )

    it.effect("that comes late is credited as a separate deposit", () =>
      Effect.gen(function* () {
        const { abandon, balance, call, receive, status } = yield* deposited(vendor)
        yield* abandon
        assert.strictEqual(yield* receive(call()), "credited")
        assert.strictEqual(yield* receive(call()), "duplicate")
        assert.strictEqual(yield* status, "failed")
        assert.strictEqual(yield* balance, 25)
      })
    )

    it.effect("with another amount is credited with that amount, and so is each further payment", () =>
      Effect.gen(function* () {
        for (const amount of [10, 40]) {
          const { balance, call, intent, receive, status } = yield* deposited(vendor)
          assert.strictEqual(yield* receive(call({ id: `first ${intent}`, amount })), "credited")
          assert.strictEqual(yield* receive(call({ id: `second ${intent}`, amount: 30 })), "credited")
          assert.strictEqual(yield* receive(call({ id: `first ${intent}`, amount })), "duplicate")
          assert.strictEqual(yield* status, "failed")
          assert.strictEqual(yield* balance, amount + 30)
        }
      })
    )

    if (vendor === vendors.stripe)
      it.effect("that is reported as expired before it is reported as paid is credited", () =>
        Effect.gen(function* () {
          const { balance, call, intent, receive, status } = yield* deposited(vendors.stripe)
          const expired = sessionOf(intent, { payment_status: "unpaid", payment_intent: null, status: "expired" })
          assert.strictEqual(yield* receive(eventOf("checkout.session.expired", expired, 0)), "declined")
          assert.strictEqual(yield* receive(call()), "credited")
          assert.strictEqual(yield* receive(eventOf("checkout.session.expired", expired, 0)), "ignored")
          assert.strictEqual(yield* status, "failed")
          assert.strictEqual(yield* balance, 25)
        })
      )

    if (vendor === vendors.stripe)
      it.effect("that is refunded and disputed is debited, even when the reversal is reported before the payment", () =>
        Effect.gen(function* () {
          const { balance, call, intent, receive, server, status } = yield* deposited(vendors.stripe)
          putPayment(server, intent)
          const refund = {
            id: `re_${intent}`,
            payment_intent: intent,
            amount: 1000,
            currency: "usd",
            status: "pending"
          }
          const dispute = { id: `dp_${intent}`, payment_intent: intent, amount: 2500, currency: "usd", status: "lost" }
          putReversals(server, intent, [refund], [dispute])
          assert.strictEqual(yield* receive(eventOf("refund.created", refund, 0)), "paid")
          assert.strictEqual(yield* status, "completed")
          assert.strictEqual(yield* balance, 15)
          const summed = { id: "ch_1", payment_intent: intent, amount_refunded: 1000 }
          assert.strictEqual(yield* receive(eventOf("charge.refunded", summed, 0)), "reversed")
          assert.strictEqual(yield* balance, 0)
          assert.strictEqual(yield* receive(call()), "duplicate")
          for (const type of ["charge.dispute.created", "charge.dispute.funds_withdrawn", "charge.dispute.closed"])
            assert.strictEqual(yield* receive(eventOf(type, dispute, 0)), "duplicate")
          const failed = { ...refund, status: "failed" }
          assert.strictEqual(yield* receive(eventOf("refund.failed", failed, 0)), "reversed")
          assert.strictEqual(yield* balance, 0, "the dispute has the whole payment")
        })
      )

    if (vendor === vendors.stripe)
      it.effect("of another system in the gateway's account may be refunded without effect", () =>
        Effect.gen(function* () {
          const { balance, call, receive, server } = yield* deposited(vendors.stripe)
          yield* receive(call())
          putPayment(server, "pi_other", { metadata: {} })
          const refund = { id: "re_other", payment_intent: "pi_other", amount: 1000, currency: "usd" }
          assert.strictEqual(yield* receive(eventOf("refund.created", refund, 0)), "ignored")
          assert.strictEqual(yield* balance, 25)
        })
      )

    if (vendor === vendors.telegram)
      it.effect("stores no secret that its calls repeat", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { call, receive } = yield* deposited(vendors.telegram)
          const genuine = call()
          yield* receive(genuine)
          yield* Effect.flip(receive(forged(genuine)))
          const rows = yield* sql`SELECT headers FROM payment_callback`
          assert.isAbove(rows.length, 1)
          for (const { headers } of rows) assert.deepStrictEqual(headers, {})
        })
      )

    if (vendor === vendors.telegram)
      it.effect("may continue only while it is pending and has the requested amount", () =>
        Effect.gen(function* () {
          const { abandon, intent, receive, server } = yield* deposited(vendors.telegram)
          yield* receive(preCheckoutUpdate(intent))
          yield* receive(preCheckoutUpdate(intent, { total_amount: 1 }))
          yield* abandon
          yield* receive(preCheckoutUpdate(intent))
          const answers = server.requests
            .filter(({ path }) => path.endsWith("/answerPreCheckoutQuery"))
            .map(({ body }) => JSON.parse(body).ok)
          assert.deepStrictEqual(answers, [true, false, false])
        })
      )
  })

suite("Stripe", vendors.stripe)
suite("BTCPay", vendors.btcpay)
suite("NOWPayments", vendors.nowPayments)
suite("Telegram", vendors.telegram)
