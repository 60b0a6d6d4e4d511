import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as TelegramStars from "../../../src/wallet/gateways/TelegramStars.ts"
import { botToken, paymentUpdate, preCheckoutUpdate, updateOf, webhookSecret } from "./TelegramTesting.ts"
import * as VendorServer from "./VendorServer.ts"
import { verify } from "./Verify.ts"

const { callOf, intentOf, outside, secret } = VendorServer

/** The adapter, and a Bot API on the loopback interface. */
const telegram = Effect.gen(function* () {
  const server = yield* VendorServer.make
  const stars = yield* TelegramStars.make({
    bot_token: secret(botToken),
    webhook_secret: secret(webhookSecret),
    api_url: server.url,
    webhook_url: Option.none()
  })
  return { ...stars, server }
})

const test = (name: string, effect: Effect.Effect<void, unknown, Effect.Services<typeof telegram>>) =>
  it.effect(name, () => effect.pipe(Effect.provide(outside)))

test(
  "an invoice link is requested in stars, with the intent's id as its payload",
  Effect.gen(function* () {
    const { gateway, server } = yield* telegram
    const intent = intentOf("messenger_stars")
    server.reply(`POST /bot${botToken}/createInvoiceLink`, () => [200, { ok: true, result: "https://t.me/$abc" }])
    assert.deepStrictEqual(yield* gateway.createIntent(intent), {
      payment_url: "https://t.me/$abc",
      external_reference: intent.id
    })
    assert.deepStrictEqual(JSON.parse(server.requests[0]?.body ?? ""), {
      title: "Proxy Rental Service: deposit",
      description: "Proxy Rental Service: deposit, 25 stars",
      payload: intent.id,
      provider_token: "",
      currency: "XTR",
      prices: [{ label: "Proxy Rental Service: deposit", amount: 25 }]
    })
  })
)

test(
  "a refused request is not repeated, and the failure shows no token",
  Effect.gen(function* () {
    const { gateway, server } = yield* telegram
    const replies = [
      [400, { ok: false, error_code: 400, description: `Bad Request at /bot${botToken}` }],
      [401, { ok: false, error_code: 401, description: "Unauthorized" }],
      [429, { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: 5 } }],
      [200, { ok: false, description: "a false answer" }]
    ] as const
    for (const reply of replies) {
      server.reply(`POST /bot${botToken}/createInvoiceLink`, () => reply)
      const { reason } = yield* Effect.flip(gateway.createIntent(intentOf("messenger_stars")))
      assert.match(
        reason,
        reply[0] === 401 ? /refuses access .*TELEGRAM_BOT_TOKEN/ : RegExp(`answered HTTP ${reply[0]}`)
      )
      assert.notInclude(reason, botToken)
    }
    assert.strictEqual(server.requests.length, replies.length)
  })
)

test(
  "the answer to a pre-checkout query goes to Telegram",
  Effect.gen(function* () {
    const { gateway, server } = yield* telegram
    const { id } = intentOf("messenger_stars")
    const [event] = yield* verify(gateway, preCheckoutUpdate(id))
    if (event?._tag !== "Checkout") return assert.fail(event?._tag)
    assert.deepInclude(event, { payment_intent_id: id, currency: "STAR", amount: 25n })
    const route = `POST /bot${botToken}/answerPreCheckoutQuery`
    server.reply(route, () => [200, { ok: true, result: true }])
    yield* event.answer(null)
    yield* event.answer("x".repeat(300))
    const answers = server.requests.map(({ body }) => JSON.parse(body))
    assert.deepStrictEqual(answers, [
      { pre_checkout_query_id: "q1", ok: true },
      { pre_checkout_query_id: "q1", ok: false, error_message: "x".repeat(200) }
    ])
    server.reply(route, () => [400, { ok: false, description: "Bad Request: query is too old" }])
    assert.include((yield* Effect.flip(event.answer(null))).reason, "query is too old")
  })
)

test(
  "a successful payment is reported with Telegram's charge id",
  Effect.gen(function* () {
    const { gateway } = yield* telegram
    const { id } = intentOf("messenger_stars")
    assert.deepStrictEqual(yield* verify(gateway, paymentUpdate(id, { telegram_payment_charge_id: "stxA" })), [
      { _tag: "Paid", payer: "telegram:1", payment_intent_id: id, charge_id: "stxA", currency: "STAR", amount: 25n }
    ])
  })
)

test(
  "the bot's other updates change nothing",
  Effect.gen(function* () {
    const { gateway } = yield* telegram
    const { id } = intentOf("messenger_stars")
    const others = [
      updateOf({}),
      updateOf({ message: { message_id: 1, text: "/start" } }),
      updateOf({ message: { message_id: 1, refunded_payment: { telegram_payment_charge_id: "stxA" } } }),
      paymentUpdate("of another business"),
      paymentUpdate(id, { currency: "USD" }),
      preCheckoutUpdate("of another business")
    ]
    for (const update of others) assert.deepStrictEqual(yield* verify(gateway, update), [])
  })
)

test(
  "an update without the right secret is refused, and one that cannot be read fails",
  Effect.gen(function* () {
    const { gateway } = yield* telegram
    const genuine = paymentUpdate(intentOf("messenger_stars").id)
    const text = new TextDecoder().decode(genuine.body)
    const header = "x-telegram-bot-api-secret-token"
    const refused = [
      callOf({}, text),
      callOf({ [header]: "" }, text),
      callOf({ [header]: `${webhookSecret}x` }, text),
      callOf({ [header]: webhookSecret.toUpperCase() }, text)
    ]
    for (const call of refused) assert.strictEqual((yield* Effect.flip(verify(gateway, call)))._tag, "CallbackRefused")
    const senseless = [
      callOf(genuine.headers, "not JSON"),
      paymentUpdate(intentOf("messenger_stars").id, { telegram_payment_charge_id: "nul \u0000" })
    ]
    for (const call of senseless) assert.strictEqual((yield* Effect.flip(verify(gateway, call)))._tag, "GatewayFailed")
  })
)

test(
  "the webhook address and the wanted updates are registered with Telegram",
  Effect.gen(function* () {
    const { register, server } = yield* telegram
    server.reply(`POST /bot${botToken}/setWebhook`, () => [200, { ok: true, result: true }])
    yield* register()
    assert.deepStrictEqual(JSON.parse(server.requests[0]?.body ?? ""), {
      url: "https://proxies.test/v1/payments/callbacks/messenger_stars",
      secret_token: webhookSecret,
      allowed_updates: ["message", "pre_checkout_query"]
    })
  })
)

test(
  "a Bot API that does not answer fails after 8 seconds",
  Effect.gen(function* () {
    const { gateway, server } = yield* telegram
    server.fallSilent()
    const asking = yield* Effect.forkChild(Effect.flip(gateway.createIntent(intentOf("messenger_stars"))))
    yield* server.asked
    yield* TestClock.adjust("8 seconds")
    assert.include((yield* Fiber.join(asking)).reason, "did not answer within 8 seconds")
  })
)
