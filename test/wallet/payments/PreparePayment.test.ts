import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Logger } from "effect"
import { Deposits } from "../../../src/wallet/payments/Deposits.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { whilePaused } from "../../support/PauseMethod.ts"
import { deposited, dollar, services } from "./PaymentsTesting.ts"

layer(services)("Payments", (it) => {
  it.effect("cannot be requested for a method without a gateway", () =>
    Effect.gen(function* () {
      const deposits = yield* Deposits
      const gateways = yield* MemoryPaymentGateways
      const user = yield* Fixtures.newUser
      const stars = { amount: 5n, currency: "STAR", payment_method: "messenger_stars" } as const
      const refused = yield* Effect.flip(deposits.create(user, stars))
      assert.deepStrictEqual(refused._tag === "PaymentMethodNotOffered" && refused.details.available, [
        "crypto_gateway",
        "card_gateway"
      ])
      assert.strictEqual((yield* deposits.list(user, { limit: 10, offset: 0 })).total, 0)
      const payments = yield* Payments
      const order = { ...stars, user_id: user, purpose: "order", description: "An order", items: 1 } as const
      const unpaid = yield* Effect.flip(payments.prepare(order))
      assert.isTrue(unpaid._tag === "PaymentMethodNotOffered" && unpaid.details.available.includes("wallet"))
      const { deposit } = yield* deposited
      const callback = gateways.pay(deposit.payment_intent_id)
      assert.strictEqual((yield* Effect.flip(payments.receive("messenger_stars", callback)))._tag, "CallbackUnexpected")
    })
  )

  it.effect("cannot be requested while the operator pauses the method", () =>
    Effect.gen(function* () {
      const deposits = yield* Deposits
      const user = yield* Fixtures.newUser
      const deposit = (payment_method: "card_gateway" | "crypto_gateway") =>
        deposits.create(user, { amount: 25n * dollar, currency: "USD", payment_method })
      const both = Effect.andThen(deposit("crypto_gateway"), Effect.flip(deposit("card_gateway")))
      assert.strictEqual((yield* whilePaused("card_gateway", both))._tag, "PaymentMethodUnavailable")
      assert.strictEqual((yield* deposits.list(user, { limit: 10, offset: 0 })).total, 1)
      yield* deposit("card_gateway")
    })
  )

  it.effect("are requested once; a repeated request returns the same page", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const payments = yield* Payments
      const { deposit } = yield* deposited
      const intent = yield* Effect.flatMap(payments.find(deposit.payment_intent_id), Effect.fromOption)
      gateways.setDown(true)
      const again = yield* Effect.ensuring(
        payments.open(intent),
        Effect.sync(() => gateways.setDown(false))
      )
      assert.deepStrictEqual(again, {
        payment_url: deposit.payment_url,
        external_reference: `memory_${deposit.payment_intent_id}`
      })
    })
  )

  it.effect("stay pending when another page of the gateway ends", () =>
    Effect.gen(function* () {
      const gateways = yield* MemoryPaymentGateways
      const payments = yield* Payments
      const { deposit, pay, status } = yield* deposited
      const orphan = gateways.decline(deposit.payment_intent_id, "left behind by a crash")
      assert.strictEqual(yield* payments.receive("card_gateway", orphan), "ignored")
      assert.strictEqual(yield* status, "pending")
      assert.strictEqual(yield* pay(), "paid")
    })
  )

  it.effect("are limited to 20 open ones for an account, when many are requested simultaneously", () =>
    Effect.gen(function* () {
      const deposits = yield* Deposits
      const payments = yield* Payments
      const user = yield* Fixtures.newUser
      const create = deposits.create(user, { amount: dollar, currency: "USD", payment_method: "card_gateway" })
      const made = yield* Effect.all(
        Array.from({ length: 30 }, () => Effect.result(create)),
        { concurrency: "unbounded" }
      )
      const [waiting, refusals] = Arr.partition(made, (result) => result)
      assert.deepStrictEqual(
        [waiting.length, refusals.map((error) => (error._tag === "TooManyOpenPayments" ? error.details : error._tag))],
        [20, Array.from({ length: 10 }, () => ({ reason: "too_many_open_payments" as const, limit: 20 }))]
      )
      assert.strictEqual((yield* deposits.list(user, { limit: 100, offset: 0 })).total, 20)
      yield* deposits.create(yield* Fixtures.newUser, {
        amount: dollar,
        currency: "USD",
        payment_method: "card_gateway"
      })
      yield* Effect.forEach(waiting.slice(0, 1), ({ payment_intent_id }) => payments.abandon(payment_intent_id))
      yield* create
    })
  )

  it.effect("below the gateway's minimum are refused, and the fault names the minimum", () =>
    Effect.gen(function* () {
      const deposits = yield* Deposits
      const gateways = yield* MemoryPaymentGateways
      const user = yield* Fixtures.newUser
      const create = (amount: bigint) =>
        deposits.create(user, { amount, currency: "USD", payment_method: "card_gateway" })
      gateways.setMinimum(2n * dollar)
      const refused = yield* Effect.flip(create(2n * dollar - 1n))
      yield* create(2n * dollar)
      gateways.setMinimum(0n)
      assert.deepStrictEqual(refused._tag === "RequestInvalid" && refused.detail, [
        { loc: ["body", "amount"], msg: "card_gateway takes at least 2.00 USD", type: "value_error" }
      ])
    })
  )

  it.effect("fail when the gateway refuses them", () =>
    Effect.gen(function* () {
      const deposits = yield* Deposits
      const user = yield* Fixtures.newUser
      const gateways = yield* MemoryPaymentGateways
      const asked = { amount: 13n * dollar, currency: "USD", payment_method: "card_gateway" } as const
      const logged: Array<unknown> = []
      const logger = Logger.make(({ message }) => void logged.push(...(Array.isArray(message) ? message : [message])))
      gateways.setDown(true)
      const refused = deposits
        .create(user, asked)
        .pipe(Effect.ensuring(Effect.sync(() => gateways.setDown(false))), Effect.provide(Logger.layer([logger])))
      assert.strictEqual((yield* Effect.flip(refused))._tag, "PaymentMethodUnavailable")
      const { deposits: listed } = yield* deposits.list(user, { limit: 10, offset: 0 })
      assert.deepStrictEqual(
        listed.map(({ payment_url, status }) => [status, payment_url]),
        [["failed", null]]
      )
      assert.deepStrictEqual(logged, ["Cannot request a payment from its gateway: down"])
    })
  )
})
