import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { NotificationKind } from "../../src/notifications/Notification.ts"
import { type Notice, Notifications } from "../../src/notifications/Notifications.ts"
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
      assert.include(wordsOf(yield* visit("notifications")), "There is nothing here.")
      yield* topUp(account.token)
      const page = yield* visit("notifications")
      assertSafe(page, http)
      assert.include(wordsOf(page), "$20.00 was added to your wallet. See the payment")
      const [, link = ""] = /<main.*<a href="\/app\/(payments\/[^"]*)">See the payment/s.exec(page.text) ?? []
      const overview = yield* visit("")
      assert.match(wordsOf(overview), /New notifications \$20.00 was added to your wallet. See the payment/)
      assert.include(overview.text, `href="/app/${link}"`)
      const payment = yield* visit(link)
      assert.deepStrictEqual([payment.status, /\$20\.00/.test(wordsOf(payment))], [200, true])
      yield* visit("notifications")
      const read = yield* submit({}, { action: "/read" })
      assert.match(noticeOf(read) ?? "", /marked as read/)
      assert.notInclude(wordsOf(yield* visit("")), "New notifications")
    })
  )

  it.effect("leads from each kind of notification to what it is about", () =>
    Effect.gen(function* () {
      const { user_id, visit } = yield* signedIn
      const [order_id, endpoint_id] = [randomUUID(), randomUUID()]
      const cases = NotificationKind.literals.map((kind): readonly [Notice, string] => {
        const notice = { user_id, kind, order_id: null, message: () => `about ${kind}` }
        if (kind.startsWith("webhook_")) return [{ ...notice, endpoint_id }, `webhooks/${endpoint_id}`]
        if (/^(deposit_credited$|payment_|auto_top_up_)/.test(kind)) return [notice, "wallet"]
        return [{ ...notice, order_id }, `proxies/${order_id}`]
      })
      yield* Notifications.use((notifications) => notifications.add(cases.map(([notice]) => notice)))
      const { text } = yield* visit("notifications")
      for (const [{ kind }, path] of cases)
        assert.match(text, RegExp(`about ${kind}</p>\\s*<p><a href="/app/${path}">`), kind)
      const overview = yield* visit("")
      assert.match(
        overview.text,
        RegExp(`<a href="/app/notifications\\?unread=true"\\s*>${cases.length - 3} more: see all<`)
      )
      yield* SqlClient.SqlClient.use(
        (sql) => sql`UPDATE notification SET endpoint_id = NULL WHERE user_id = ${user_id}`
      )
      assert.match((yield* visit("notifications")).text, /about webhook_failing<\/p>\s*<p><a href="\/app\/webhooks">/)
    })
  )

  it.effect("has at most one subject, which fits its kind, in the database too", () =>
    Effect.gen(function* () {
      const { user_id } = yield* signedIn
      const order_id = randomUUID()
      const notice: Notice = { user_id, kind: "proxy_ended", order_id, message: () => "x" }
      yield* Notifications.use((notifications) => notifications.add([notice]))
      const sql = yield* SqlClient.SqlClient
      for (const wrong of [{ payment_intent_id: order_id }, { endpoint_id: order_id, order_id: null }]) {
        const change = sql`UPDATE notification SET ${sql.update(wrong)} WHERE user_id = ${user_id}`
        assert.strictEqual((yield* Effect.flip(change)).reason._tag, "ConstraintError")
      }
    })
  )
})
