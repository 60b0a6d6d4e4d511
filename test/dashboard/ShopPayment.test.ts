import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import * as Testing from "../support/OrderTesting.ts"
import { reprice } from "../support/Repricing.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { http } from "./PagesTesting.ts"
import { customer, hiddenIn, placeOf, promoCode, wordsOf } from "./ShopTesting.ts"

/** Reports a payment as the gateway does. */
const settle = ({ body, headers, payment_method }: ReturnType<MemoryPaymentGateways["Service"]["pay"]>) =>
  request("POST", `/v1/payments/callbacks/${payment_method}`, {
    headers: { ...headers, "content-type": "application/json" },
    body: new TextDecoder().decode(body)
  })

const drain = (user_id: UserId, amount: bigint) =>
  Wallets.use((wallets) =>
    wallets.charge({
      user_id,
      currency: "USD",
      spender: null,
      entries: [{ order_id: null, reference: randomUUID(), amount, amount_usd: amount, description: "Something else" }]
    })
  )

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

  it.effect("has no price for a way to pay that takes only more, and says so before and after the review", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { open, orders, pay, review } = yield* customer()
      const gateways = yield* MemoryPaymentGateways
      const id = yield* Testing.offerId("Datacenter")
      const says = "With this way to pay, the smallest amount is $2.00"
      const choice = { pay_with: "card_gateway" }
      assert.include(wordsOf(yield* review(choice)), "Pay $1.50")
      gateways.setMinimum(2_000_000n)
      const late = yield* pay()
      assert.deepStrictEqual([late.status, wordsOf(late).includes(says)], [422, true])
      assert.notInclude(late.text, "card_gateway takes")
      const offer = yield* open(`/shop/${id}?pay_with=card_gateway`)
      assert.include(wordsOf(offer), `There is no price yet: ${says}`)
      assert.strictEqual((yield* review(choice)).status, 422)
      assert.include(wordsOf(yield* review()), "Pay $1.50")
      gateways.setMinimum(1_500_000n)
      assert.include(wordsOf(yield* review(choice)), "Pay $1.50")
      gateways.setMinimum(0n)
      assert.lengthOf(yield* orders, 0)
    })
  )

  it.effect("says what is missing when the wallet has too little", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { browser, open, orders, pay, review, user_id } = yield* customer(1_000_000n)
      const gateways = yield* MemoryPaymentGateways
      const short = yield* review({ quantity: "3" })
      assert.include(wordsOf(short), "Your wallet has too little money: $3.50 is missing.")
      assert.notInclude(wordsOf(short), "Pay $4.50")
      const link = /href="([^"]*top-up[^"]*)">Top up your wallet/.exec(short.text)?.[1]?.replaceAll("&amp;", "&") ?? ""
      const topUp = yield* open(`${http}${link}`)
      assert.match(topUp.text, /name="amount"[^>]*value="3\.50"/)
      const payment = yield* browser.submit({ payment_method: "card_gateway" }, { action: "/top-up" })
      const id = payment.url.split("/").at(-1) ?? ""
      yield* settle(gateways.pay(id))
      const paid = yield* open(`/payments/${id}`)
      const back = /<a class="button" href="([^"]*)">Go on with what you wanted to pay/
        .exec(paid.text)?.[1]
        ?.replaceAll("&amp;", "&")
      assert.strictEqual(back, placeOf(short).replace(/^/, "/app"))
      // Another browser, and another payment, know nothing of it.
      assert.notInclude((yield* (yield* customer()).open(`/payments/${id}`)).text, "Go on with")
      assert.include(wordsOf(yield* open(`${http}${back}`)), "Pay $4.50")

      // The money is spent in another tab after the review.
      yield* drain(user_id, 1_000_000n)
      const late = yield* pay({ notes: "kept note" })
      assert.strictEqual(late.status, 409)
      assert.include(wordsOf(late), "There is a problem Your wallet has too little money: $1.00 is missing.")
      assert.include(late.text, "notes%3Dkept")
      assert.lengthOf(yield* orders, 0)
    })
  )

  it.effect("leads from a top-up to pages of this service only", () =>
    Effect.gen(function* () {
      const { browser, open } = yield* customer()
      for (const next of ["https://evil.test/", "//evil.test/", "/\\evil.test", `/app/${"x".repeat(1000)}`]) {
        yield* open(`/wallet/top-up?amount=5&next=${encodeURIComponent(next)}`)
        const payment = yield* browser.submit({ payment_method: "card_gateway" }, { action: "/top-up" })
        assert.strictEqual(payment.status, 200, next)
        const shown = yield* open(`/payments/${payment.url.split("/").at(-1)}`)
        assert.notInclude(shown.text, "evil.test")
        assert.notInclude(shown.text, "xxxx")
      }
    })
  )

  it.effect("shows an unpaid order everywhere as one that waits for its payment, until it is paid or cancelled", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { browser, open, orders, pay, review } = yield* customer(0n)
      const gateways = yield* MemoryPaymentGateways
      const order = Effect.fnUntraced(function* () {
        yield* review({ pay_with: "card_gateway" })
        const payment = /gateway.test\/([\w-]+)"/.exec((yield* pay()).text)?.[1] ?? assert.fail()
        return { payment, id: (yield* orders).at(-1)?.id ?? "" }
      })
      const first = yield* order()
      const list = yield* open("/proxies")
      assert.include(wordsOf(list), "Waiting for your payment Pay Cancel")
      assert.include(list.text, `href="https://gateway.test/${first.payment}"`)
      assert.include(list.text, `href="/app/proxies/${first.id}/cancel"`)
      const proxy = yield* open(`/proxies/${first.id}`)
      for (const words of ["Waiting for your payment", "Pay $1.50", "Cancel this order", "Ordered you"])
        assert.include(wordsOf(proxy), words)
      for (const words of ["Being set up", "Bought"]) assert.notInclude(wordsOf(proxy), words)
      const wallet = yield* open("/wallet")
      assert.include(wordsOf(wallet), "not paid yet Pay or see its state")
      assert.include(wallet.text, `href="/app/payments/${first.payment}"`)
      assert.include((yield* open(`/payments/${first.payment}`)).text, `href="/app/proxies/${first.id}"`)

      const stranger = yield* customer(0n)
      assert.strictEqual((yield* stranger.open(`/proxies/${first.id}/cancel`)).status, 404)
      assert.include(wordsOf(yield* open(`/proxies/${first.id}/cancel`)), "every proxy that this payment pays for")
      assert.strictEqual((yield* browser.submit({ form_token: "x" }, { action: "/cancel" })).status, 403)
      const question = yield* open(`/proxies/${first.id}/cancel`)
      const form = question.forms.find(({ action }) => action.endsWith("/cancel"))
      for (let time = 0; time < 2; time++) {
        const cancelled = yield* browser.post(form?.action ?? "", form?.values ?? {})
        assert.include(wordsOf(cancelled), "The order is cancelled. Nothing was charged.")
      }
      assert.strictEqual(placeOf(yield* open(`/proxies/${first.id}/cancel`)), `/proxies/${first.id}`)
      const id = yield* Testing.offerId("Datacenter")
      assert.include(
        (yield* open(`/payments/${first.payment}`)).text,
        `<a class="button" href="/app/shop/${id}">Go to the offer</a>`
      )

      // A cancelled order is not among all.
      const none = wordsOf(yield* open("/proxies"))
      assert.include(none, "All 0 Active 0 Ending soon 0 Ended 0 Cancelled 1")
      assert.notInclude((yield* open("/proxies")).text, first.id)
      const tab = yield* open("/proxies?proxy_status=cancelled")
      assert.include(tab.text, first.id)
      assert.notInclude(wordsOf(tab), "Save with passwords")
      assert.strictEqual((yield* open("/proxies/export?proxy_status=cancelled&format=csv")).status, 200)

      const second = yield* order()
      yield* settle(gateways.pay(second.payment))
      const paid = yield* open(`/payments/${second.payment}`)
      assert.include(paid.text, `<a class="button" href="/app/proxies/${second.id}">Go to your proxy</a>`)
      // The ledger has the words of a purchase from the wallet.
      assert.include(wordsOf(yield* open("/wallet")), "Datacenter, United States, 1 month")
      const refused = yield* open(`/proxies/${second.id}/cancel`)
      assert.strictEqual(placeOf(refused), `/proxies/${second.id}`)
      const german = yield* browser.open(`${http}/app/payments/${second.payment}`, {
        headers: { "accept-language": "de" }
      })
      assert.include(wordsOf(german), "1,50 $")
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
