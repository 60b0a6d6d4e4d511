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
  "an invoice is requested in dollars, with the callback address of this service",
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
      order_description: "Proxy Rental Service: deposit",
      ipn_callback_url: "https://proxies.test/v1/payments/callbacks/crypto_gateway",
      success_url: `https://proxies.test/app/payments/${intent.id}`,
      cancel_url: `https://proxies.test/app/payments/${intent.id}`
    })
  })
)

test(
  "a refused request is not repeated, and the failure shows no key",
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
  "a finished payment is worth the requested amount, or more if more came in",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const { id } = intentOf("crypto_gateway")
    const verified = (change: object) => verify(gateway, report(server, paymentOf(id, change)))
    assert.deepStrictEqual(yield* verified({}), paidOf(id, first, 25_000_000n))
    // A payment that the operator accepts although a little is missing, and the rounding of an exchange.
    assert.deepStrictEqual(yield* verified({ actually_paid: 0.00049 }), paidOf(id, first, 25_000_000n))
    assert.deepStrictEqual(yield* verified({ actually_paid: 0.0005000001 }), paidOf(id, first, 25_000_000n))
    assert.deepStrictEqual(yield* verified({ actually_paid: null, pay_amount: null }), paidOf(id, first, 25_000_000n))
    assert.deepStrictEqual(yield* verified({ actually_paid: 0.0006 }), paidOf(id, first, 30_000_000n))
    // The valuation of NOWPayments comes before the fixed rate.
    const valued = (actually_paid_at_fiat: number) => verified({ actually_paid: 0.05, actually_paid_at_fiat })
    assert.deepStrictEqual(yield* valued(1250), paidOf(id, first, 1_250_000_000n))
    assert.deepStrictEqual(yield* valued(24.9), paidOf(id, first, 25_000_000n))
  })
)

test(
  "a partial payment is worth the valuation of NOWPayments, or else the amount at the fixed rate",
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
  "a second payment to the same address is a separate charge",
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
    // The rate of the first coin does not apply to another coin.
    yield* Effect.flip(verified(otherCoin))
  })
)

test(
  "other states and payments of another shop change nothing",
  Effect.gen(function* () {
    const { gateway, server } = yield* nowPayments
    const { id } = intentOf("crypto_gateway")
    const states = ["waiting", "confirming", "confirmed", "sending", "failed", "expired", "refunded", "unknown"]
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
  "a payment is read again, because a call alone is no proof",
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
  "a call that is newer than the answer of NOWPayments fails, so that it is repeated",
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
  "a payment that cannot be read within 8 seconds fails",
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
  "a call is genuine with any order of keys and any form of numbers",
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
  "a call that is unsigned, wrongly signed, changed or not JSON is refused without a request",
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
      ipnOf(paymentOf("x"), "of another shop")
    ]
    for (const call of refused) assert.strictEqual((yield* Effect.flip(verify(gateway, call)))._tag, "CallbackRefused")
    assert.strictEqual(server.requests.length, 0)
  })
)
