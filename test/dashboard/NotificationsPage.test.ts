import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { assertSafe } from "../support/Markup.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { noticeOf, signedIn, wordsOf } from "./DeskTesting.ts"
import { http } from "./PagesTesting.ts"

/** Tops up through the sandbox's payment page. */
const topUp = Effect.fnUntraced(function* (user: string) {
  const { body } = yield* request("POST", "/v1/payments/deposits", {
    user,
    body: { amount: 20, currency: "USD", payment_method: "card_gateway" }
  })
  const { pathname } = new URL(body.payment_url)
  yield* request("POST", pathname, {
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: "outcome=paid"
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
      assert.match(wordsOf(page), /20\.00.* added to your wallet/)
      assert.match(page.text, /<ul class="apps">.*<a href="\/app\/wallet">Go to your wallet<\/a>/s)
      const read = yield* submit({}, { action: "/read" })
      assert.match(noticeOf(read) ?? "", /marked as read/)
    })
  )
})
