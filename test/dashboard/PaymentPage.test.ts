import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { TestClock } from "effect/testing"
import * as PaymentExpiry from "../../src/wallet/payments/PaymentExpiry.ts"
import { request } from "../support/TestServer.ts"
import { deposited, serverWith } from "./DashboardTesting.ts"

/** A deposit, and the page to which its customer returns. */
const returned = Effect.gen(function* () {
  const made = yield* deposited()
  return { ...made, see: request("GET", `/app/payments/${made.deposit.payment_intent_id}`) }
})

layer(serverWith({}))("the page after a payment", (it) => {
  it.effect("reloads until the payment is reported, and then shows that it was received", () =>
    Effect.gen(function* () {
      const { choose, deposit, see } = yield* returned
      const waiting = yield* see
      assert.deepStrictEqual([waiting.status, waiting.headers["refresh"]], [200, "5"])
      for (const text of ["Waiting for the payment", "$25.00", "you can close this page", deposit.payment_url])
        assert.include(waiting.body, text)
      yield* choose("paid")
      const received = yield* see
      assert.isUndefined(received.headers["refresh"])
      assert.include(received.body, "Payment received")
      assert.include(received.body, "$25.00 was added to your wallet. You can close this page.")
      assert.notInclude(received.body, deposit.payment_url)
      assert.include(received.body, `<a class="button" href="/app/wallet">`)
    })
  )

  it.effect("shows that a payment was not made, or not in time", () =>
    Effect.gen(function* () {
      const declined = yield* returned
      yield* declined.choose("declined")
      const late = yield* returned
      yield* TestClock.adjust("60 minutes")
      yield* PaymentExpiry.run
      for (const [page, heading] of [
        [yield* declined.see, "Payment not made"],
        [yield* late.see, "Payment expired"]
      ] as const) {
        assert.include(page.body, heading)
        assert.include(page.body, "add the amount to your wallet")
        assert.isUndefined(page.headers["refresh"])
      }
    })
  )

  it.effect("links only to web pages, whatever address the gateway returned", () =>
    Effect.gen(function* () {
      const { deposit, see } = yield* returned
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE payment_intent SET payment_url = 'javascript:alert(1)' WHERE id = ${deposit.payment_intent_id}`
      assert.notInclude((yield* see).body, "javascript:")
    })
  )

  it.effect("answers an unknown payment with a page, and runs no script", () =>
    Effect.gen(function* () {
      for (const id of [randomUUID(), "x", "%00"]) {
        const { body, headers, status } = yield* request("GET", `/app/payments/${encodeURIComponent(id)}`)
        assert.strictEqual(status, 404)
        assert.include(body, "Payment not found")
        assert.match(String(headers["content-security-policy"]), /^default-src 'none'/)
        assert.strictEqual(headers["cache-control"], "no-store")
      }
    })
  )
})

layer(serverWith({ SANDBOX: "false" }))("without the sandbox", (it) => {
  it.effect("serves the page after a payment", () =>
    Effect.gen(function* () {
      const { body, status } = yield* request("GET", `/app/payments/${randomUUID()}`)
      assert.deepStrictEqual([status, String(body).includes("Payment not found")], [404, true])
    })
  )
})
