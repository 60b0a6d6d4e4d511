import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as BtcpayGreenfield from "../../../src/wallet/gateways/BtcpayGreenfield.ts"
import { putInvoice, storeId, webhookOf, webhookSecret } from "./BtcpayTesting.ts"
import * as VendorServer from "./VendorServer.ts"
import { verify } from "./Verify.ts"

const { callOf, intentOf, linkedTo, outside, paidOf, secret, tags } = VendorServer

const apiKey = "greenfield-key-of-the-tests"
const invoices = `/api/v1/stores/${storeId}/invoices`

/** The adapter, and a BTCPay Server on the loopback interface. */
const btcpay = Effect.gen(function* () {
  const server = yield* VendorServer.make
  const gateway = yield* BtcpayGreenfield.make({
    url: server.url,
    store_id: storeId,
    api_key: secret(apiKey),
    webhook_secret: secret(webhookSecret)
  })
  return { gateway, server }
})

const test = (name: string, effect: Effect.Effect<void, unknown, Effect.Services<typeof btcpay>>) =>
  it.effect(name, () => effect.pipe(Effect.provide(outside)))

test(
  "an invoice is requested in dollars and ends early enough for the blockchain to confirm a payment in time",
  Effect.gen(function* () {
    const { gateway, server } = yield* btcpay
    const intent = intentOf("crypto_gateway")
    server.reply(`POST ${invoices}`, () => [200, { id: "inv1", checkoutLink: `${server.url}/i/inv1`, status: "New" }])
    assert.deepStrictEqual(yield* gateway.createIntent(intent), {
      payment_url: `${server.url}/i/inv1`,
      external_reference: "inv1"
    })
    const [{ body, headers }] = server.requests as [(typeof server.requests)[0]]
    assert.strictEqual(headers["authorization"], `token ${apiKey}`)
    assert.isUndefined(headers["traceparent"])
    assert.deepStrictEqual(JSON.parse(body), {
      amount: "25.00",
      currency: "USD",
      metadata: { orderId: intent.id, paymentIntentId: intent.id, itemDesc: "Proxy Rental Service: deposit" },
      checkout: { expirationMinutes: 30, redirectURL: `https://proxies.test/app/payments/${intent.id}` }
    })
  })
)

test(
  "a server that refuses, fails, answers nonsense or is away is asked once, and the failure shows no key",
  Effect.gen(function* () {
    const { gateway, server } = yield* btcpay
    const reasons: Array<string> = []
    const replies = [
      [403, { code: "missing-permission", message: `the key ${apiKey} may not` }],
      [502, "<html>Bad gateway</html>"],
      [200, "<html>not JSON</html>"],
      [200, { id: 7 }],
      [200, { id: "inv1", checkoutLink: "x".repeat(300_000) }]
    ] as const
    for (const reply of replies) {
      server.reply(`POST ${invoices}`, () => reply)
      reasons.push((yield* Effect.flip(gateway.createIntent(intentOf("crypto_gateway")))).reason)
    }
    assert.strictEqual(server.requests.length, replies.length)
    assert.strictEqual(reasons[0], "BTCPay refuses access (HTTP 403): check BTCPAY_API_KEY")
    assert.strictEqual(reasons[1], "BTCPay answered HTTP 502: <html>Bad gateway</html>")
    assert.notInclude(reasons.join(), apiKey)
    const gone = yield* BtcpayGreenfield.make({
      url: "http://127.0.0.1:1",
      store_id: storeId,
      api_key: secret(apiKey),
      webhook_secret: secret(webhookSecret)
    })
    const { reason } = yield* Effect.flip(gone.createIntent(intentOf("crypto_gateway")))
    assert.strictEqual(reason, "BTCPay could not be reached: connection refused")
  })
)

test(
  "a server that does not answer fails after 8 seconds, also while its call is checked",
  Effect.gen(function* () {
    const { gateway, server } = yield* btcpay
    server.fallSilent()
    const checking = verify(gateway, webhookOf("InvoicePaymentSettled", "inv1", "tx-0"))
    const asking = yield* Effect.forkChild(Effect.uninterruptible(Effect.flip(checking)))
    yield* server.asked
    yield* TestClock.adjust("8 seconds")
    assert.strictEqual((yield* Fiber.join(asking))._tag, "GatewayFailed")
  })
)

test(
  "the only payment of an invoice is worth the requested amount, whatever the rounding of the rate",
  Effect.gen(function* () {
    const { gateway, server } = yield* btcpay
    for (const [status, additionalStatus] of [
      ["Settled", "None"],
      ["Processing", "None"],
      ["Expired", "PaidLate"]
    ] as const) {
      const { id } = intentOf("crypto_gateway")
      const payments = [{ id: "tx-0", value: "0.00050009" }]
      const invoice = putInvoice(server, id, { status, additionalStatus, payments })
      const event = yield* verify(gateway, webhookOf("InvoicePaymentSettled", invoice, "tx-0"))
      assert.deepStrictEqual(event, paidOf(id, "tx-0", 25_000_000n))
    }
  })
)

test(
  "payments that are too small, too large or several are each worth the amount that came in, in whole cents",
  Effect.gen(function* () {
    const { gateway, server } = yield* btcpay
    const { id } = intentOf("crypto_gateway")
    const settled = (invoice: string, payment: string) =>
      verify(gateway, webhookOf("InvoicePaymentSettled", invoice, payment))

    const short = { status: "Expired", additionalStatus: "PaidPartial", payments: [{ id: "a", value: "0.0002" }] }
    assert.deepStrictEqual(yield* settled(putInvoice(server, id, short), "a"), paidOf(id, "a", 10_000_000n))

    const over = { status: "Settled", additionalStatus: "PaidOver", payments: [{ id: "b", value: "0.00060009" }] }
    assert.deepStrictEqual(yield* settled(putInvoice(server, id, over), "b"), paidOf(id, "b", 30_000_000n))

    const several = [
      { id: "c", value: "0.0002" },
      { id: "d", value: "0.0003" },
      { id: "e", value: "0.0001", status: "Processing" },
      { id: "f", value: "1", status: "Invalid" }
    ]
    const parts = putInvoice(server, id, { status: "Settled", payments: several })
    assert.deepStrictEqual(yield* settled(parts, "c"), paidOf(id, "c", 10_000_000n))
    assert.deepStrictEqual(yield* settled(parts, "d"), paidOf(id, "d", 15_000_000n))
    assert.deepStrictEqual(yield* settled(parts, "e"), [])
    // A call without a payment id reports all payments.
    assert.deepStrictEqual(yield* verify(gateway, webhookOf("InvoiceSettled", parts)), [
      ...paidOf(id, "c", 10_000_000n),
      ...paidOf(id, "d", 15_000_000n)
    ])
  })
)

test(
  "an invoice that ended without payment is declined, and one that was marked by hand changes nothing",
  Effect.gen(function* () {
    const { gateway, server } = yield* btcpay
    const tagOf = (type: string, state: Parameters<typeof putInvoice>[2], change?: object) => {
      const invoice = putInvoice(server, intentOf("crypto_gateway").id, state, change)
      return Effect.map(verify(gateway, webhookOf(type, invoice)), tags)
    }
    const unconfirmed = [{ id: "a", value: "0.0002", status: "Processing" }]
    assert.strictEqual(yield* tagOf("InvoiceCreated", { status: "New" }), "")
    assert.strictEqual(yield* tagOf("InvoiceExpired", { status: "Expired" }), "Declined")
    assert.strictEqual(yield* tagOf("InvoiceInvalid", { status: "Invalid" }), "Declined")
    assert.strictEqual(yield* tagOf("InvoiceExpired", { status: "Expired", payments: unconfirmed }), "")
    assert.strictEqual(yield* tagOf("InvoiceSettled", { status: "Settled", additionalStatus: "Marked" }), "")
    const foreign = { metadata: { orderId: intentOf("crypto_gateway").id } }
    assert.strictEqual(yield* tagOf("InvoiceSettled", { status: "Settled" }, foreign), "")
    assert.strictEqual(yield* tagOf("InvoiceSettled", { status: "Settled" }, { metadata: null }), "")
  })
)

test(
  "a late payment is worth the requested amount, or the amount that came in if it is larger",
  Effect.gen(function* () {
    const { gateway, server } = yield* btcpay
    for (const [value, amount] of [
      ["0.0004999", 25_000_000n],
      ["0.005", 250_000_000n]
    ] as const) {
      const { id } = intentOf("crypto_gateway")
      const late = { status: "Expired", additionalStatus: "PaidLate", payments: [{ id: "a", value }] }
      const event = yield* verify(gateway, webhookOf("InvoicePaymentSettled", putInvoice(server, id, late), "a"))
      assert.deepStrictEqual(event, paidOf(id, "a", amount))
    }
  })
)

test(
  "a payment without a dollar value from BTCPay fails, so that the operator sees it",
  Effect.gen(function* () {
    const { gateway, server } = yield* btcpay
    const payments = [{ id: "a", value: "0.0005" }]
    const euros = putInvoice(
      server,
      intentOf("crypto_gateway").id,
      { status: "Settled", payments },
      { currency: "EUR" }
    )
    yield* Effect.flip(verify(gateway, webhookOf("InvoicePaymentSettled", euros, "a")))
    const huge = [{ id: "a", value: "99999999999999999" }]
    const absurd = putInvoice(server, intentOf("crypto_gateway").id, { status: "New", payments: huge })
    yield* Effect.flip(verify(gateway, webhookOf("InvoicePaymentSettled", absurd, "a")))
    const over = { status: "Settled", additionalStatus: "PaidOver", payments, rate: null }
    const unvalued = putInvoice(server, intentOf("crypto_gateway").id, over)
    const { _tag } = yield* Effect.flip(verify(gateway, webhookOf("InvoicePaymentSettled", unvalued, "a")))
    assert.strictEqual(_tag, "GatewayFailed")
  })
)

test(
  "a call that is unsigned, wrongly signed or changed is refused without a request to the server",
  Effect.gen(function* () {
    const { gateway, server } = yield* btcpay
    const genuine = webhookOf("InvoiceSettled", "inv1")
    const text = new TextDecoder().decode(genuine.body)
    const signature = genuine.headers["btcpay-sig"] ?? ""
    const refused = [
      callOf({}, text),
      callOf({ "btcpay-sig": signature.slice("sha256=".length) }, text),
      callOf({ "btcpay-sig": "sha256=zz" }, text),
      callOf({ "btcpay-sig": signature }, `${text} `),
      webhookOf("InvoiceSettled", "inv1", undefined, "of another store")
    ]
    for (const call of refused) assert.strictEqual((yield* Effect.flip(verify(gateway, call)))._tag, "CallbackRefused")
    assert.strictEqual(server.requests.length, 0)
    // The server does not know the invoice, and a call alone is no proof.
    assert.strictEqual((yield* Effect.flip(verify(gateway, genuine)))._tag, "GatewayFailed")
  })
)

test(
  "an invoice whose calls were lost is found by its id",
  Effect.gen(function* () {
    const { gateway, server } = yield* btcpay
    const intent = intentOf("crypto_gateway")
    const find = gateway.findPayment!
    const invoice = putInvoice(server, intent.id, { status: "Settled", payments: [{ id: "tx-0", value: "0.0005" }] })
    assert.deepStrictEqual(yield* find(linkedTo(intent, invoice)), paidOf(intent.id, "tx-0", 25_000_000n))
    const parts = [
      { id: "a", value: "0.0002" },
      { id: "b", value: "0.0003" }
    ]
    putInvoice(server, intent.id, { status: "Settled", payments: parts })
    assert.deepStrictEqual(yield* find(linkedTo(intent, invoice)), [
      ...paidOf(intent.id, "a", 10_000_000n),
      ...paidOf(intent.id, "b", 15_000_000n)
    ])
    // The blockchain still accepts a payment to an invoice that has ended.
    putInvoice(server, intent.id, { status: "Expired" })
    assert.deepStrictEqual(yield* find(linkedTo(intent, invoice)), [])
    assert.deepStrictEqual(yield* find(intent), [])
  })
)
