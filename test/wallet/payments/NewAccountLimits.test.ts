import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../../src/accounts/User.ts"
import { Deposits, type DepositRequest } from "../../../src/wallet/payments/Deposits.ts"
import { NewAccountLimitsRepo } from "../../../src/wallet/payments/NewAccountLimitsRepo.ts"
import { Payments } from "../../../src/wallet/payments/Payments.ts"
import { PaymentsRepo } from "../../../src/wallet/payments/PaymentsRepo.ts"
import * as UnpaidPaymentCleanup from "../../../src/wallet/payments/UnpaidPaymentCleanup.ts"
import * as Fixtures from "../../support/Fixtures.ts"
import { MemoryPaymentGateways } from "../../support/MemoryPaymentGateways.ts"
import { dollar, services, servicesWith } from "./PaymentsTesting.ts"

const settings = {
  NEW_ACCOUNT_OPEN_PAYMENTS: "3",
  NEW_ACCOUNT_DAILY_USD: "100",
  NEW_ACCOUNT_CARD_MIN_USD: "5",
  CARD_TRIES_PER_HOUR: "5",
  TRUST_PROXY: "1"
}

const requestFrom = (address: string) =>
  HttpServerRequest.fromWeb(new Request("http://localhost/", { headers: { "x-forwarded-for": address } }))

const ask = (owner: UserId, change: Partial<DepositRequest> = {}) =>
  Deposits.use(({ create }) =>
    create(owner, { amount: 10n * dollar, currency: "USD", payment_method: "card_gateway", ...change })
  )

/** The answer to a request: its status, and the first fault or the limit. */
const answer = (owner: UserId, change: Partial<DepositRequest> = {}) =>
  Effect.map(Effect.result(ask(owner, change)), (result) => {
    if (Result.isSuccess(result)) return "asked"
    const { failure } = result
    if (failure._tag === "RequestInvalid") return failure.detail[0]?.msg
    return failure._tag
  })

const paid = Effect.fnUntraced(function* (owner: UserId, change: Partial<DepositRequest> = {}) {
  const { payment_intent_id } = yield* ask(owner, change)
  const gateways = yield* MemoryPaymentGateways
  yield* Payments.use(({ receive }) => receive("card_gateway", gateways.pay(payment_intent_id)))
})

const declined = Effect.fnUntraced(function* (owner: UserId) {
  const { payment_intent_id } = yield* ask(owner)
  const gateways = yield* MemoryPaymentGateways
  yield* Payments.use(({ receive }) => receive("card_gateway", gateways.decline(payment_intent_id)))
})

layer(servicesWith(settings))("A new account", (it) => {
  it.effect("has few open payments, whatever the method", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.newUser
      yield* ask(owner)
      yield* ask(owner, { payment_method: "crypto_gateway" })
      yield* ask(owner)
      const refused = yield* Effect.flip(ask(owner))
      assert.strictEqual(refused._tag, "TooManyOpenPayments")
      assert.deepInclude(refused, { status: 409 })
      assert.strictEqual(yield* answer(yield* Fixtures.newUser), "asked")
    })
  )

  it.effect("pays a bounded sum within a day, and not too little by card", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.newUser
      assert.strictEqual(yield* answer(owner, { amount: 4n * dollar }), "A new account pays by card at least 5.00 USD")
      assert.strictEqual(yield* answer(owner, { amount: 4n * dollar, payment_method: "crypto_gateway" }), "asked")
      yield* paid(owner, { amount: 60n * dollar })
      const most = "A new account pays within 24 hours at most 100.00 USD"
      assert.strictEqual(yield* answer(owner, { amount: 40n * dollar }), most)
      assert.strictEqual(yield* answer(owner, { amount: 36n * dollar }), "asked")
    })
  )

  it.effect("tries few cards within an hour, and keeps other methods", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.newUser
      for (let tries = 0; tries < 5; tries++) yield* declined(owner)
      assert.strictEqual(yield* answer(owner), "PaymentMethodUnavailable")
      assert.strictEqual(yield* answer(owner, { payment_method: "crypto_gateway" }), "asked")
    })
  )

  it.effect("shares the tries of its network", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const at = new Date(0)
      for (let tries = 0; tries < 10; tries++) {
        const { payment_intent_id } = yield* ask(yield* Fixtures.newUser)
        yield* sql`INSERT INTO payment_origin ${sql.insert({ payment_intent_id, network: "8.8.8.0/24", asked_at: at })}`
      }
      const from = Effect.provideService(HttpServerRequest.HttpServerRequest, requestFrom("8.8.8.77"))
      const elsewhere = Effect.provideService(HttpServerRequest.HttpServerRequest, requestFrom("8.8.9.77"))
      const owner = yield* Fixtures.newUser
      assert.strictEqual(yield* from(answer(owner)), "PaymentMethodUnavailable")
      assert.strictEqual(yield* elsewhere(answer(owner)), "asked")
      const [noted] = yield* sql`SELECT network FROM payment_origin WHERE network LIKE '8.8.9%'`
      assert.deepStrictEqual(noted, { network: "8.8.9.0/24" })
      yield* sql`UPDATE payment_origin SET asked_at = ${new Date(-25 * 3_600_000)} WHERE network = '8.8.8.0/24'`
      yield* UnpaidPaymentCleanup.run
      assert.deepStrictEqual(yield* sql`SELECT DISTINCT network FROM payment_origin`, [{ network: "8.8.9.0/24" }])
    }).pipe(Effect.provide([NewAccountLimitsRepo.layer, PaymentsRepo.layer]))
  )

  it.effect("is an ordinary one after a week with a payment", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [owner, other] = [yield* Fixtures.newUser, yield* Fixtures.newUser]
      yield* paid(owner)
      yield* TestClock.adjust("8 days")
      for (const account of [owner, other]) for (let count = 0; count < 3; count++) yield* ask(account)
      assert.strictEqual(yield* answer(other), "TooManyOpenPayments")
      assert.strictEqual(yield* answer(owner, { amount: 900n * dollar }), "asked")
      const young = yield* Fixtures.newUser
      yield* paid(young)
      yield* sql`UPDATE user_account SET created_at = ${new Date(0)} WHERE id = ${young}`
      for (let count = 0; count < 3; count++) yield* ask(young)
      assert.strictEqual(yield* answer(young), "TooManyOpenPayments")
    })
  )
})

layer(services)("A new account without real money", (it) => {
  it.effect("has no limits of its own", () =>
    Effect.gen(function* () {
      const owner = yield* Fixtures.newUser
      for (let count = 0; count < 4; count++) yield* ask(owner, { amount: 500n * dollar })
      for (let tries = 0; tries < 6; tries++) yield* declined(owner)
      assert.strictEqual(yield* answer(owner, { amount: 1n * dollar }), "asked")
    })
  )
})
