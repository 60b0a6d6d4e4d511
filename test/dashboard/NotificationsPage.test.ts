import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { noticeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { http } from "./PagesTesting.ts"

/** Tops up, and reports the payment. */
const topUp = Effect.fnUntraced(function* (user: string) {
  const { body: deposit } = yield* request("POST", "/v1/payments/deposits", {
    user,
    body: { amount: 20, currency: "USD", payment_method: "card_gateway" }
  })
  const gateways = yield* MemoryPaymentGateways
  const { body, headers, payment_method } = gateways.pay(deposit.payment_intent_id)
  yield* request("POST", `/v1/payments/callbacks/${payment_method}`, {
    headers: { ...headers, "content-type": "application/json" },
    body: new TextDecoder().decode(body)
  })
})

layer(TestApp.layer())("The page of the notifications", (it) => {
  it.effect("leads from a top-up to the wallet, and marks it as read", () =>
    Effect.gen(function* () {
      const { account, submit, visit } = yield* signedIn
      assert.include(wordsOf(yield* visit("notifications")), "There is no notification.")
      yield* topUp(account.token)
      const page = yield* visit("notifications")
      assertSafe(page, http)
      assert.include(wordsOf(page), "$20.00 was added to your wallet. Go to your wallet")
      assert.match(page.text, /<ul class="apps">.*<a href="\/app\/wallet">Go to your wallet<\/a>/s)
      const read = yield* submit({}, { action: "/read" })
      assert.match(noticeOf(read) ?? "", /marked as read/)
    })
  )
})
