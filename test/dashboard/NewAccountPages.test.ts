import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Testing from "../support/OrderTesting.ts"
import { reprice } from "../support/Repricing.ts"
import * as TestApp from "../support/TestApp.ts"
import { http } from "./PagesTesting.ts"
import { wordsOf } from "./ShopTesting.ts"
import { signedIn } from "./WalletPagesTesting.ts"

const form = "/app/wallet/top-up"
const german = { headers: { "accept-language": "de" } }

layer(TestApp.layer({ NEW_ACCOUNT_CARD_MIN_USD: "5", NEW_ACCOUNT_DAILY_USD: "20" }))("a new account", (it) => {
  it.effect("reads the smallest payment by card, and the most of a day, at the amount of a top-up", () =>
    Effect.gen(function* () {
      const { browser } = yield* signedIn
      yield* browser.open(`${http}${form}`)
      const small = yield* browser.submit({ amount: "2", payment_method: "card_gateway" })
      assert.strictEqual(small.status, 422)
      assert.match(small.text, /id="amount-error">For a new account, the smallest payment by card is \$5\.00</)
      const much = yield* browser.submit({ amount: "25", payment_method: "crypto_gateway" })
      assert.match(much.text, /id="amount-error">A new account can pay at most \$20\.00 within 24 hours</)
      const deutsch = yield* browser.submit({ amount: "25" }, german)
      assert.match(deutsch.text, /Ein neues Konto kann in 24 Stunden höchstens 20,00.\$ bezahlen/)
    })
  )

  it.effect("reads the most of a day at the way to pay for an order", () =>
    Effect.gen(function* () {
      yield* reprice(1000)
      const { browser } = yield* signedIn
      const id = yield* Testing.offerId("Datacenter")
      yield* browser.open(`${http}/app/shop/${id}/review?quantity=2&pay_with=card_gateway`)
      const refused = yield* browser.submit({}, { action: "/review" })
      assert.strictEqual(refused.status, 422)
      assert.include(wordsOf(refused), "A new account can pay at most $20.00 within 24 hours")
      assert.notInclude(wordsOf(refused), "USD")
    })
  )
})
