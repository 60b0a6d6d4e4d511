import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import * as Testing from "../support/OrderTesting.ts"
import { reprice } from "../support/Repricing.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { customer, hiddenIn, placeOf, promoCode, wordsOf } from "./ShopTesting.ts"

layer(TestApp.layer(), { excludeTestServices: true })("The payment of an order", (it) => {
  it.effect("places one order for a form that is sent twice, again later, or from another tab", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { balance, browser, open, orders, pay, review } = yield* customer()
      const shown = yield* review({ quantity: "2" })
      const both = yield* Effect.all([pay(), pay({ notes: "" })], { concurrency: "unbounded" })
      assert.strictEqual(both[0].url, both[1].url)
      for (const { status, text } of both) assert.deepStrictEqual([status, text.includes("are ready")], [200, true])
      // A copied tab has the same address, and the order is shown instead of a second one.
      assert.strictEqual((yield* open(shown.url)).url, both[0].url)
      yield* reprice(50)
      const token = shown.forms.find(({ action }) => action.endsWith("/review"))?.values
      const late = yield* request("POST", new URL(shown.url).pathname, {
        headers: {
          "content-type": "application/x-www-form-urlencoded",
          cookie: [...browser.cookies].map((pair) => pair.join("=")).join("; ")
        },
        body: new URLSearchParams(token as Record<string, string>).toString()
      })
      assert.include(String(late.body), "2 proxies are ready")
      assert.lengthOf(yield* orders, 2)
      assert.strictEqual(yield* balance, 97_000_000n)
    })
  )

  it.effect("charges nothing when the price is another one, and says the new one", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { balance, orders, pay, review } = yield* customer()
      const first = yield* review()
      yield* reprice(50)
      const changed = yield* pay({ notes: "kept note" })
      assert.strictEqual(changed.status, 409)
      assert.include(changed.text, "<title>Error: ")
      assert.include(wordsOf(changed), "The price is $0.75 now. Nothing was charged.")
      assert.include(wordsOf(changed), "Pay $0.75")
      assert.include(changed.text, "kept note")
      assert.strictEqual(hiddenIn(changed, "nonce"), hiddenIn(first, "nonce"))
      assert.deepStrictEqual([yield* balance, (yield* orders).length], [100_000_000n, 0])
      // The review has quoted this price, which holds when it rises again.
      yield* reprice(100)
      assert.include(wordsOf(yield* pay()), "1 proxy is ready")
      assert.strictEqual(yield* balance, 99_250_000n)
    })
  )

  it.effect("takes off a promo code, and says at its field what is wrong with one", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { balance, browser, open, pay, review } = yield* customer()
      const promo_code = yield* promoCode
      const id = yield* Testing.offerId("Datacenter")
      const wrong = yield* open(`/shop/${id}?promo_code=NOPE&quantity=7`)
      assert.deepStrictEqual([wrong.status, wrong.text.includes('id="promo_code-error"')], [200, true])
      assert.include(wordsOf(wrong), "There is no price yet: There is no such promo code.")
      assert.include(wrong.text, 'value="NOPE"')
      const refused = yield* review({ promo_code: "NOPE" })
      assert.deepStrictEqual([refused.status, refused.text.includes('id="promo_code-error"')], [422, true])
      const german = yield* browser.open(wrong.url, { headers: { "accept-language": "de" } })
      assert.include(wordsOf(german), "Diesen Gutscheincode gibt es nicht.")
      const right = yield* review({ promo_code, quantity: "2" })
      assert.include(wordsOf(right), "2 × $1.50 Promo code −$0.60 Total $2.40")
      yield* pay()
      assert.strictEqual(yield* balance, 97_600_000n)
      const used = yield* review({ promo_code })
      assert.include(wordsOf(used), "You have used the promo code as often as you may.")
    })
  )

  it.effect("says what is missing when the wallet has too little", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { orders, pay, review } = yield* customer(1_000_000n)
      yield* review({ quantity: "3" })
      const short = yield* pay({ notes: "kept note" })
      assert.strictEqual(short.status, 409)
      assert.include(wordsOf(short), "There is a problem Your wallet has too little money: $3.50 is missing.")
      assert.include(short.text, 'href="/app/wallet/top-up"')
      assert.include(short.text, "kept note")
      assert.lengthOf(yield* orders, 0)
    })
  )

  it.effect("leads to the payment service, and sets the proxies up after the payment", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { browser, open, orders, pay, review } = yield* customer(0n)
      const gateways = yield* MemoryPaymentGateways
      yield* review({ pay_with: "card_gateway", quantity: "2" })
      const waiting = yield* pay()
      assert.match(placeOf(waiting), /^\/orders\/batch\/[\w-]{36}\?pay=now$/)
      const address = /href="(https:\/\/gateway.test\/([\w-]+))"/.exec(waiting.text)
      assert.strictEqual(waiting.headers["refresh"], `0; url=${address?.[1]}`)
      assert.include(waiting.text, `href="/app/payments/${address?.[2]}"`)
      assert.include(wordsOf(waiting), "Pay $3.00")
      assert.include(waiting.text, 'data-live="2"')
      assert.include(waiting.text, '<noscript><meta http-equiv="refresh" content="3" /></noscript>')
      const place = placeOf(waiting).split("?")[0] ?? ""
      assert.isUndefined((yield* open(place)).headers["refresh"])

      const other = yield* customer(0n)
      for (const path of [place, `${place}/cancel`]) assert.strictEqual((yield* other.open(path)).status, 404)
      const { body, headers, payment_method } = gateways.pay(address?.[2] ?? "")
      yield* request("POST", `/v1/payments/callbacks/${payment_method}`, {
        headers: { ...headers, "content-type": "application/json" },
        body: new TextDecoder().decode(body)
      })
      assert.include(wordsOf(yield* open(place)), "Setting up: 0 of 2 ready")
      const refused = yield* Effect.andThen(open(`${place}/cancel`), browser.submit({}, { action: "/cancel" }))
      assert.deepStrictEqual([refused.status, wordsOf(refused).includes("no longer waits for a payment")], [400, true])
      assert.lengthOf(yield* orders, 2)
    })
  )

  it.effect("cancels unpaid orders after a question, only for their owner and with the token", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { browser, open, pay, review } = yield* customer(0n)
      yield* review({ pay_with: "card_gateway", quantity: "2" })
      const place = placeOf(yield* pay()).split("?")[0] ?? ""
      assert.include(wordsOf(yield* open(`${place}/cancel`)), "2 proxies wait for their payment")
      assert.strictEqual((yield* browser.submit({ form_token: "x" }, { action: "/cancel" })).status, 403)
      yield* open(`${place}/cancel`)
      const cancelled = yield* browser.submit({}, { action: "/cancel" })
      assert.strictEqual(placeOf(cancelled), place)
      assert.include(wordsOf(cancelled), "No proxy of this order is running Cancelled")
    })
  )
})
