import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as StripeCheckout from "../../../src/wallet/gateways/StripeCheckout.ts"
import { eventOf, putPayment, sessionOf, signatureOf, webhookSecret } from "./StripeTesting.ts"
import * as VendorServer from "./VendorServer.ts"
import { verify } from "./Verify.ts"

const { callOf, intentOf, linkedTo, outside, paidOf, secret, tags } = VendorServer

const secretKey = "sk_test_of_the_tests"
const sessions = "/v1/checkout/sessions"

/** The adapter, and a Stripe API on the loopback interface. */
const stripe = Effect.gen(function* () {
  const server = yield* VendorServer.make
  const gateway = yield* StripeCheckout.make({
    secret_key: secret(secretKey),
    webhook_secret: secret(webhookSecret),
    api_url: server.url
  })
  return { gateway, server }
})

const test = (name: string, effect: Effect.Effect<void, unknown, Effect.Services<typeof stripe>>) =>
  it.effect(name, () => effect.pipe(Effect.provide(outside)))

test(
  "a session is requested in cents with the intent's id, and ends with the intent",
  Effect.gen(function* () {
    const { gateway, server } = yield* stripe
    const intent = intentOf("card_gateway", { amount: 12_340_000n })
    server.reply(`POST ${sessions}`, () => [200, sessionOf(intent.id)])
    assert.deepStrictEqual(yield* gateway.createIntent(intent), {
      payment_url: `https://checkout.stripe.com/c/pay/cs_${intent.id}`,
      external_reference: `cs_${intent.id}`
    })
    const [{ body, headers }] = server.requests as [(typeof server.requests)[0]]
    const asked = Object.fromEntries(new URLSearchParams(body))
    assert.strictEqual(headers["authorization"], `Bearer ${secretKey}`)
    assert.strictEqual(headers["idempotency-key"], intent.id)
    assert.strictEqual(headers["stripe-version"], "2026-10-28.endive")
    assert.deepStrictEqual(asked, {
      mode: "payment",
      "allowed_payment_method_types[0]": "card",
      client_reference_id: intent.id,
      "metadata[payment_intent_id]": intent.id,
      "payment_intent_data[metadata][payment_intent_id]": intent.id,
      "line_items[0][quantity]": "1",
      "line_items[0][price_data][currency]": "usd",
      "line_items[0][price_data][unit_amount]": "1234",
      "line_items[0][price_data][product_data][name]": "Proxy Rental Service: deposit",
      expires_at: "3600",
      success_url: `https://proxies.test/app/payments/${intent.id}`,
      cancel_url: `https://proxies.test/app/payments/${intent.id}`
    })
  })
)

test(
  "an amount with a fraction of a cent is not requested",
  Effect.gen(function* () {
    const { gateway, server } = yield* stripe
    yield* Effect.flip(gateway.createIntent(intentOf("card_gateway", { amount: 1_000_001n })))
    assert.strictEqual(server.requests.length, 0)
  })
)

test(
  "a refused request is not repeated, and the failure shows no key",
  Effect.gen(function* () {
    const { gateway, server } = yield* stripe
    for (const status of [400, 401, 429, 500]) {
      server.reply(`POST ${sessions}`, () => [
        status,
        { error: { type: "invalid_request_error", message: `Invalid API Key provided: ${secretKey}` } }
      ])
      const { message: reason } = yield* Effect.flip(gateway.createIntent(intentOf("card_gateway")))
      assert.strictEqual(
        reason,
        status === 401
          ? "Stripe refuses access (HTTP 401): check STRIPE_SECRET_KEY"
          : `Stripe answered HTTP ${status}: Invalid API Key provided: ***`
      )
      assert.notInclude(reason, secretKey)
    }
    server.reply(`POST ${sessions}`, () => [200, "<html>not JSON</html>"])
    yield* Effect.flip(gateway.createIntent(intentOf("card_gateway")))
    assert.strictEqual(server.requests.length, 5)
    const gone = yield* StripeCheckout.make({
      secret_key: secret(secretKey),
      webhook_secret: secret(webhookSecret),
      api_url: "http://127.0.0.1:1"
    })
    const { message } = yield* Effect.flip(gone.createIntent(intentOf("card_gateway")))
    assert.strictEqual(message, "Stripe could not be reached: connection refused")
  })
)

test(
  "a Stripe API that does not answer fails after 8 seconds",
  Effect.gen(function* () {
    const { gateway, server } = yield* stripe
    server.fallSilent()
    const asking = yield* Effect.forkChild(Effect.flip(gateway.createIntent(intentOf("card_gateway"))))
    yield* server.asked
    yield* TestClock.adjust("8 seconds")
    assert.include((yield* Fiber.join(asking)).reason, "did not answer within 8 seconds")
  })
)

test(
  "a completed session is paid with the amount that Stripe reports",
  Effect.gen(function* () {
    const { gateway } = yield* stripe
    const { id } = intentOf("card_gateway")
    const verified = (type: string, change?: object) => verify(gateway, eventOf(type, sessionOf(id, change), 0))
    const completed = "checkout.session.completed"
    assert.deepStrictEqual(yield* verified(completed), paidOf(id, `pi_${id}`, 25_000_000n))
    assert.deepStrictEqual(
      yield* verified("checkout.session.async_payment_succeeded", { amount_total: 1 }),
      paidOf(id, `pi_${id}`, 10_000n)
    )
    const expanded = { payment_intent: { id: "pi_expanded", object: "payment_intent" } }
    assert.deepStrictEqual(yield* verified(completed, expanded), paidOf(id, "pi_expanded", 25_000_000n))
  })
)

test(
  "an unpaid session changes nothing until it ends",
  Effect.gen(function* () {
    const { gateway } = yield* stripe
    const { id } = intentOf("card_gateway")
    const unpaid = sessionOf(id, { payment_status: "unpaid", payment_intent: null })
    const tagOf = (type: string, session: object) => Effect.map(verify(gateway, eventOf(type, session, 0)), tags)
    assert.strictEqual(yield* tagOf("checkout.session.completed", unpaid), "")
    assert.strictEqual(yield* tagOf("checkout.session.expired", unpaid), "Declined")
    assert.strictEqual(yield* tagOf("checkout.session.async_payment_failed", unpaid), "Declined")
    assert.strictEqual(yield* tagOf("charge.refunded", { id: "ch_1" }), "")
    assert.strictEqual(yield* tagOf("charge.captured", { id: "ch_1" }), "")
    assert.strictEqual(yield* tagOf("checkout.session.completed", sessionOf("of another shop")), "")
  })
)

test(
  "a call that is unsigned, wrongly signed, changed or older than five minutes is refused",
  Effect.gen(function* () {
    const { gateway } = yield* stripe
    yield* TestClock.adjust("1 hour")
    const { id } = intentOf("card_gateway")
    const event = (time: number, key?: string) => eventOf("checkout.session.completed", sessionOf(id), time, key)
    const genuine = event(3600)
    const text = new TextDecoder().decode(genuine.body)
    const refused = [
      callOf({}, text),
      callOf({ "stripe-signature": "" }, text),
      callOf({ "stripe-signature": "t=3600,v1=00" }, text),
      callOf(genuine.headers, text.replace("2500", "9900")),
      callOf({ "stripe-signature": signatureOf(text, 3600).replace("v1=", "v0=") }, text),
      event(3600, "whsec_of_somebody_else"),
      event(3600 - 301)
    ]
    for (const call of refused) assert.strictEqual((yield* Effect.flip(verify(gateway, call)))._tag, "CallbackRefused")
    assert.strictEqual(tags(yield* verify(gateway, event(3600 - 299))), "Paid")
    // While its secret is replaced, Stripe signs with both secrets.
    const both = `${signatureOf(text, 3600, "whsec_old")},${signatureOf(text, 3600).slice("t=3600,".length)}`
    assert.strictEqual(tags(yield* verify(gateway, callOf({ "stripe-signature": both }, text))), "Paid")
    // A call is authenticated once, so it does not become too old while it is stored.
    const read = yield* gateway.authenticate(event(3600 - 299))
    yield* TestClock.adjust("10 seconds")
    assert.strictEqual(tags(yield* read), "Paid")
  })
)

test(
  "a signed call that cannot be read fails, so that it is repeated",
  Effect.gen(function* () {
    const { gateway } = yield* stripe
    for (const text of ["{", "[]", "{}"]) {
      const call = callOf({ "stripe-signature": signatureOf(text, 0) }, text)
      assert.strictEqual((yield* Effect.flip(verify(gateway, call)))._tag, "GatewayFailed")
    }
  })
)

test(
  "a session of another system is irrelevant, whatever its customer writes on it",
  Effect.gen(function* () {
    const { gateway } = yield* stripe
    const { id } = intentOf("card_gateway")
    for (const metadata of [{}, null, { payment_intent_id: "x" }]) {
      const linked = sessionOf(id, { metadata, payment_link: "plink_1" })
      assert.deepStrictEqual(yield* verify(gateway, eventOf("checkout.session.completed", linked, 0)), [])
    }
  })
)

test(
  "the page of an abandoned payment is closed",
  Effect.gen(function* () {
    const { gateway, server } = yield* stripe
    const intent = intentOf("card_gateway")
    yield* gateway.close!(intent)
    assert.strictEqual(server.requests.length, 0)
    const path = `${sessions}/cs_${intent.id}/expire`
    server.reply(`POST ${path}`, () => [200, sessionOf(intent.id, { status: "expired" })])
    yield* gateway.close!(linkedTo(intent, `cs_${intent.id}`))
    assert.deepStrictEqual(
      server.requests.map((request) => request.path),
      [path]
    )
    server.reply(`POST ${path}`, () => [400, { error: { message: "Only open sessions can be expired" } }])
    assert.include((yield* Effect.flip(gateway.close!(linkedTo(intent, `cs_${intent.id}`)))).reason, "Only open")
  })
)

test(
  "a payment that is not in dollars fails, so that the operator sees it",
  Effect.gen(function* () {
    const { gateway } = yield* stripe
    const { id } = intentOf("card_gateway")
    for (const change of [{ currency: "eur" }, { amount_total: null }, { payment_intent: null }, { amount_total: -1 }])
      assert.strictEqual(
        (yield* Effect.flip(verify(gateway, eventOf("checkout.session.completed", sessionOf(id, change), 0))))._tag,
        "GatewayFailed"
      )
  })
)

test(
  "a session whose calls were lost is found by its id",
  Effect.gen(function* () {
    const { gateway, server } = yield* stripe
    const intent = intentOf("card_gateway")
    const linked = linkedTo(intent, `cs_${intent.id}`)
    const find = (change: object) => {
      server.reply(`GET ${sessions}/cs_${intent.id}`, () => [200, sessionOf(intent.id, change)])
      return Effect.map(gateway.findPayment!(linked), tags)
    }
    assert.strictEqual(yield* find({}), "Paid")
    assert.strictEqual(yield* find({ payment_status: "unpaid", status: "open" }), "")
    assert.strictEqual(yield* find({ payment_status: "unpaid", status: "expired" }), "Declined")
    assert.deepStrictEqual(yield* gateway.findPayment!(intent), [])
  })
)

test(
  "a payment names its payer by the card's fingerprint, if Stripe reports it",
  Effect.gen(function* () {
    const { gateway, server } = yield* stripe
    const { id } = intentOf("card_gateway")
    const verified = verify(gateway, eventOf("checkout.session.completed", sessionOf(id), 0))
    putPayment(server, `pi_${id}`)
    const paid = paidOf(id, `pi_${id}`, 25_000_000n)
    assert.deepStrictEqual(
      yield* verified,
      paid.map((event) => ({ ...event, payer: "card:fp_of_the_tests" }))
    )
    putPayment(server, `pi_${id}`, { latest_charge: "ch_1" })
    assert.deepStrictEqual(yield* verified, paid)
  })
)

test(
  "a dispute takes money unless it is an inquiry, and returns it when it is won; another currency takes the whole charge",
  Effect.gen(function* () {
    const { gateway, server } = yield* stripe
    const { id } = intentOf("card_gateway")
    putPayment(server, id)
    const of = (object: object, type: string) =>
      Effect.map(
        verify(gateway, eventOf(type, { id: "dp_1", payment_intent: id, amount: 700, currency: "usd", ...object }, 0)),
        ([, event]) => (event?._tag === "Reversed" ? `${event.kind} ${event.status} ${event.amount}` : "")
      )
    const dispute = "charge.dispute.updated"
    assert.strictEqual(yield* of({ status: "warning_needs_response" }, dispute), "dispute announced 7000000")
    assert.strictEqual(yield* of({ status: "needs_response" }, dispute), "dispute taken 7000000")
    assert.strictEqual(yield* of({ status: "lost" }, dispute), "dispute taken 7000000")
    assert.strictEqual(yield* of({ status: "won" }, dispute), "dispute returned 7000000")
    assert.strictEqual(yield* of({ status: "warning_closed" }, dispute), "dispute returned 7000000")
    assert.strictEqual(yield* of({ status: "lost", currency: "eur" }, dispute), "dispute taken null")
    assert.strictEqual(yield* of({ status: "succeeded" }, "refund.updated"), "refund taken 7000000")
    assert.strictEqual(yield* of({ status: "canceled" }, "refund.updated"), "refund returned 7000000")
  })
)

test(
  "a reversal of a payment that Stripe does not show fails, so that it is repeated",
  Effect.gen(function* () {
    const { gateway } = yield* stripe
    const refund = { id: "re_1", payment_intent: "pi_1", amount: 700, currency: "usd" }
    const refused = yield* Effect.flip(verify(gateway, eventOf("refund.created", refund, 0)))
    assert.strictEqual(refused._tag, "GatewayFailed")
  })
)
