import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { household } from "../dashboard/FormTesting.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { assertSafe } from "../support/Markup.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestApp from "../support/TestApp.ts"
import { admin, signedIn } from "./BackOfficeTesting.ts"

const reason = "The site blocks it"

layer(TestApp.layerSandbox, { timeout: "2 minutes" })("The pages of orders and payments", (it) => {
  it.effect("find an order, say what is possible, and replace its proxy once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids } = yield* household
      const id = ids["order_id"] ?? ""
      const { browser, page } = yield* signedIn("support@example.com", "support")
      for (const name of ["orders", "payments"]) assert.include(page.text, `href="/admin/${name}"`)
      const found = yield* browser.open(`${admin}/orders?q=${id}`)
      assertSafe(found, http)
      assert.include(found.text, `href="/admin/orders/${id}"`)
      assert.include((yield* browser.open(`${admin}/orders?q=nothing`)).text, "No order fits.")

      const order = yield* browser.open(`${admin}/orders/${id}`)
      assertSafe(order, http)
      assert.include(order.text, "The order does not wait for its proxy")
      const form = yield* browser.open(`${admin}/orders/${id}/replace`)
      assertSafe(form, http)
      assert.include(form.text, "The old login and open connections end at once.")
      const fields = Object.fromEntries(
        [...form.text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value])
      )
      assert.include((yield* browser.submit({ reason: "no" })).text, "Give a reason of 3 to 500 characters")
      const done = yield* browser.submit({ reason })
      assert.include(done.text, "Done: Replace the proxy.")
      // Support does not read the audit log.
      assert.notInclude(done.text, `order.work replace: ${reason}`)
      const owner = yield* signedIn("owner@example.com", "owner")
      const shown = yield* owner.browser.open(`${admin}/orders/${id}`)
      assert.include(shown.text, `order.work replace: ${reason}`)
      yield* browser.open(`${admin}/orders/${id}/replace`)
      assert.strictEqual((yield* browser.post(`${admin}/orders/${id}/replace`, { ...fields, reason })).status, 200)
      const changes = yield* sql`SELECT status FROM proxy_change WHERE order_id = ${id} AND kind = 'replace'`
      assert.deepStrictEqual([...changes], [{ status: "applied" }])
      const history = yield* sql`SELECT kind FROM notification WHERE order_id = ${id} AND kind = 'proxy_replaced'`
      assert.lengthOf(history, 1)
    })
  )

  it.effect("show the new end before time is given, and refuse what is not safe now", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids } = yield* household
      const id = ids["order_id"] ?? ""
      const { browser } = yield* signedIn("support2@example.com", "support")
      const endOf = Effect.map(sql<{ at: Date }>`SELECT expires_at AS at FROM proxy_order WHERE id = ${id}`, ([row]) =>
        row?.at.getTime()
      )
      const before = yield* endOf
      yield* browser.open(`${admin}/orders/${id}/extend`)
      const review = yield* browser.submit({ reason })
      assertSafe(review, http)
      assert.include(review.text, "New end")
      assert.strictEqual(yield* endOf, before)
      const given = yield* browser.submit({ confirmed: "yes" })
      assert.include(given.text, "Done: Give time.")
      assert.isAbove((yield* endOf) ?? 0, before ?? 0)
      yield* browser.open(`${admin}/orders/${id}/extend`)
      const more = yield* browser.submit({ reason })
      assert.strictEqual(more.status, 409)
      assert.include(more.text, "An order gets at most 31 days")
      const retry = yield* browser.open(`${admin}/orders/${id}/retry`)
      assert.strictEqual(retry.status, 409)
    })
  )

  it.effect("end a proxy, and say so when the provider does not answer", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryProvider
      const { ids } = yield* household
      const id = ids["order_id"] ?? ""
      const { browser } = yield* signedIn("support3@example.com", "support")
      yield* browser.open(`${admin}/orders/${id}/release`)
      memory.setDown(true)
      const begun = yield* browser.submit({ reason })
      memory.setDown(false)
      assert.include(begun.text, "Begun: End the proxy.")
    })
  )

  it.effect("show a payment, its order, and its look-up; a viewer sees no raw call", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids } = yield* household
      const { browser } = yield* signedIn("support4@example.com", "support")
      const order = yield* browser.open(`${admin}/orders/${ids["unpaid_id"]}`)
      const payment = /href="\/admin\/payments\/([0-9a-f-]+)"/.exec(order.text)?.[1] ?? ""
      const page = yield* browser.open(`${admin}/payments/${payment}`)
      assertSafe(page, http)
      assert.include(page.text, `href="/admin/orders/${ids["unpaid_id"]}"`)
      assert.include(page.text, "No money has arrived.")
      const list = yield* browser.open(`${admin}/payments?q=${payment}&status=pending`)
      assertSafe(list, http)
      assert.include(list.text, `href="/admin/payments/${payment}"`)
      yield* browser.open(`${admin}/payments/${payment}/look-up`)
      const looked = yield* browser.submit({ reason })
      // The sandbox has no records of its own.
      assert.include(looked.text, "it cannot be asked about payments")
      const callback = "0198c0de-0000-7000-8000-000000000001"
      yield* sql`
        INSERT INTO payment_callback (id, payment_method, headers, body, outcome, received_at, processed_at, payment_intent_id)
        VALUES (${callback}, 'card_gateway', '{}', '<b>{"paid": 1}</b>', 'paid', now(), now(), ${payment})
      `
      const raw = yield* browser.open(`${admin}/payment-callbacks/${callback}`)
      assertSafe(raw, http)
      assert.include(raw.text, "&lt;b&gt;{&quot;paid&quot;: 1}")
      const viewer = yield* signedIn("viewer4@example.com", "viewer")
      assert.notInclude((yield* viewer.browser.open(`${admin}/payments/${payment}`)).text, "payment-callbacks")
      assert.strictEqual((yield* viewer.browser.open(`${admin}/payment-callbacks/${callback}`)).status, 403)
    })
  )
})
