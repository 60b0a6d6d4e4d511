import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as NowPayments from "../../../src/wallet/gateways/NowPayments.ts"
import { ipnOf, ipnSecret, paymentOf, report } from "./NowPaymentsTesting.ts"
import * as VendorServer from "./VendorServer.ts"
import { verify } from "./Verify.ts"

const { callOf, intentOf, outside, paidOf, secret, tags } = VendorServer

const apiKey = "NOWPAYMENTS-KEY-OF-TESTS"

/** The adapter, and a NOWPayments on the loopback interface. */
const nowPayments = Effect.gen(function* () {
  const server = yield* VendorServer.make
  const gateway = yield* NowPayments.make({
    url: server.url,
    api_key: secret(apiKey),
    ipn_secret: secret(ipnSecret)
  })
  return { gateway, server }
})

const test = (name: string, effect: Effect.Effect<void, unknown, Effect.Services<typeof nowPayments>>) =>
  it.effect(name, () => effect.pipe(Effect.provide(outside)))

const first = "5524759814"
const second = "6000000001"

test(
  "an invoice is asked for in dollars and calls back here",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const intent = intentOf("crypto_gateway", { amount: 12_340_000n })
    server.reply("POST /v1/invoice", () => [200, { id: 4522625843, invoice_url: "https://nowpayments.test/?iid=1" }])
    assert.deepStrictEqual(yield* gateway.createIntent(intent), {
      payment_url: "https://nowpayments.test/?iid=1",
      external_reference: "4522625843"
    })
    const [{ body, headers }] = server.requests as [(typeof server.requests)[0]]
    assert.strictEqual(headers["x-api-key"], apiKey)
    assert.deepStrictEqual(JSON.parse(body), {
      price_amount: 12.34,
      price_currency: "usd",
      order_id: intent.id,
      order_description: "Proxy rental: deposit",
      ipn_callback_url: "https://proxies.test/v1/payments/callbacks/crypto_gateway",
      success_url: `https://proxies.test/app/payments/${intent.id}`,
      cancel_url: `https://proxies.test/app/payments/${intent.id}`
    })
  })
)

test(
  "a refusal is asked once, and its reason shows no key",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    for (const status of [400, 403, 429, 500]) {
      server.reply("POST /v1/invoice", () => [status, { status: false, message: `Invalid api key ${apiKey}` }])
      const { reason } = yield* Effect.flip(gateway.createIntent(intentOf("crypto_gateway")))
      assert.include(reason, status === 403 ? "refuses access (HTTP 403): check NOWPAYMENTS_API_KEY" : `HTTP ${status}`)
      assert.notInclude(reason, apiKey)
    }
    assert.strictEqual(server.requests.length, 4)
  })
)

test(
  "a finished payment is worth what was asked for, or more when more came in",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const { id } = intentOf("crypto_gateway")
    const verified = (change: object) => verify(gateway, report(server, paymentOf(id, change)))
    assert.deepStrictEqual(yield* verified({}), paidOf(id, first, 25_000_000n))
    // What an operator accepts as paid although a little is missing, and the dust of an exchange.
    assert.deepStrictEqual(yield* verified({ actually_paid: 0.00049 }), paidOf(id, first, 25_000_000n))
    assert.deepStrictEqual(yield* verified({ actually_paid: 0.0005000001 }), paidOf(id, first, 25_000_000n))
    assert.deepStrictEqual(yield* verified({ actually_paid: null, pay_amount: null }), paidOf(id, first, 25_000_000n))
    assert.deepStrictEqual(yield* verified({ actually_paid: 0.0006 }), paidOf(id, first, 30_000_000n))
    // What NOWPayments valued it at goes before the rate of the day it was asked for.
    const valued = (actually_paid_at_fiat: number) => verified({ actually_paid: 0.05, actually_paid_at_fiat })
    assert.deepStrictEqual(yield* valued(1250), paidOf(id, first, 1_250_000_000n))
    assert.deepStrictEqual(yield* valued(24.9), paidOf(id, first, 25_000_000n))
  })
)

test(
  "a payment that is short is worth what NOWPayments values it at, else what came in at its rate",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const { id } = intentOf("crypto_gateway")
    const short = { payment_status: "partially_paid", actually_paid: 0.0002 }
    const verified = (change: object) => verify(gateway, report(server, paymentOf(id, { ...short, ...change })))
    assert.deepStrictEqual(yield* verified({}), paidOf(id, first, 10_000_000n))
    assert.deepStrictEqual(yield* verified({ actually_paid_at_fiat: 9.876 }), paidOf(id, first, 9_870_000n))
    assert.deepStrictEqual(yield* verified({ actually_paid: 2e-7 }), paidOf(id, first, 10_000n))
    yield* Effect.flip(verified({ actually_paid: 1e-9 }))
  })
)

test(
  "money that comes again to the same address is a charge of its own",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const { id } = intentOf("crypto_gateway")
    report(server, paymentOf(id))
    const again = { payment_id: 6000000001, parent_payment_id: 5524759814, order_id: null, actually_paid: 0.0001 }
    const verified = (change: object) => verify(gateway, report(server, paymentOf(null, { ...again, ...change })))
    assert.deepStrictEqual(yield* verified({}), paidOf(id, second, 5_000_000n))
    const otherCoin = { pay_currency: "ltc", actually_paid: 0.2 }
    assert.deepStrictEqual(
      yield* verified({ ...otherCoin, actually_paid_at_fiat: 18.5 }),
      paidOf(id, second, 18_500_000n)
    )
    // In another coin, the rate of the first one says nothing.
    yield* Effect.flip(verified(otherCoin))
  })
)

test(
  "the other states change nothing, nor does a payment of another shop",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const { id } = intentOf("crypto_gateway")
    const states = ["waiting", "confirming", "confirmed", "sending", "failed", "expired", "refunded", "unheard of"]
    for (const payment_status of states) {
      const call = report(server, paymentOf(id, { payment_status }))
      assert.deepStrictEqual(yield* verify(gateway, call), [])
    }
    for (const order_id of ["of another shop", null])
      assert.deepStrictEqual(yield* verify(gateway, report(server, paymentOf(order_id))), [])
    yield* Effect.flip(verify(gateway, report(server, paymentOf(id, { price_currency: "eur" }))))
  })
)

test(
  "nothing is taken on a call's word: the payment is read again",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const { id } = intentOf("crypto_gateway")
    report(server, paymentOf(id, { payment_status: "failed", actually_paid: 0 }))
    assert.deepStrictEqual(yield* verify(gateway, ipnOf(paymentOf(id))), [])
    server.reply("GET /v1/payment/5524759814", () => [500, "down"])
    yield* Effect.flip(verify(gateway, ipnOf(paymentOf(id))))
    server.reply("GET /v1/payment/5524759814", () => [200, { payment_id: 1 }])
    yield* Effect.flip(verify(gateway, ipnOf(paymentOf(id))))
  })
)

test(
  "a call that is ahead of what NOWPayments answers is not taken, so that it comes again",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const { id } = intentOf("crypto_gateway")
    for (const payment_status of ["finished", "partially_paid"]) {
      const call = ipnOf(paymentOf(id, { payment_status }))
      report(server, paymentOf(id, { payment_status: "sending" }))
      assert.strictEqual((yield* Effect.flip(verify(gateway, call)))._tag, "GatewayFailed")
      report(server, paymentOf(id))
      assert.strictEqual(tags(yield* verify(gateway, call)), "Paid")
    }
  })
)

test(
  "a payment that cannot be read within 8 seconds is not taken",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    server.fallSilent()
    const checking = verify(gateway, ipnOf(paymentOf(intentOf("crypto_gateway").id)))
    const asking = yield* Effect.forkChild(Effect.uninterruptible(Effect.flip(checking)))
    yield* server.asked
    yield* TestClock.adjust("8 seconds")
    assert.strictEqual((yield* Fiber.join(asking))._tag, "GatewayFailed")
  })
)

test(
  "a call is genuine in whatever order its keys come and however its numbers are written",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const { id } = intentOf("crypto_gateway")
    const payment = paymentOf(id)
    const genuine = report(server, payment)
    const shuffled = { fee: payment.fee, ...Object.fromEntries(Object.entries(payment).toReversed()) }
    const spaced = callOf(genuine.headers, JSON.stringify(shuffled, null, 2))
    assert.strictEqual(tags(yield* verify(gateway, spaced)), "Paid")
  })
)

test(
  "a call that is not signed, signed wrongly, changed or no JSON is refused without asking",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const genuine = ipnOf(paymentOf(intentOf("crypto_gateway").id))
    const text = new TextDecoder().decode(genuine.body)
    const refused = [
      callOf({}, text),
      callOf({ "x-nowpayments-sig": "" }, text),
      callOf({ "x-nowpayments-sig": "zz" }, text),
      callOf(genuine.headers, text.replace('"serviceFee":0.0000025', '"serviceFee":0')),
      callOf(genuine.headers, "not JSON"),
      callOf(genuine.headers, "[".repeat(60_000)),
      callOf(genuine.headers, `${"[".repeat(21)}${"]".repeat(21)}`),
      ipnOf(paymentOf("x"), "of somebody else")
    ]
    for (const call of refused) assert.strictEqual((yield* Effect.flip(verify(gateway, call)))._tag, "CallbackRefused")
    assert.strictEqual(server.requests.length, 0)
  })
)
