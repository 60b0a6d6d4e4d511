import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { Catalog } from "../../src/catalog/Catalog.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import * as CallDurations from "../../src/provider/CallDurations.ts"
import { CallCountsRepo } from "../../src/provider/CallCountsRepo.ts"
import { http } from "../dashboard/PagesTesting.ts"
import { assertSafe } from "../support/Markup.ts"
import { datacenter, mobile, residential } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestApp from "../support/TestApp.ts"
import { admin, signedIn } from "./BackOfficeTesting.ts"

const reason = "The vendor has an outage"

const sync = Effect.gen(function* () {
  const memory = yield* MemoryProvider
  memory.setOffers([datacenter, residential, mobile])
  yield* Effect.provide(CatalogSync.run, CatalogWriter.layer)
})

/** The number of offers that customers can buy. */
const available = Effect.gen(function* () {
  const catalog = yield* Catalog
  yield* catalog.refresh
  return (yield* catalog.offers({ is_available: true })).length
})

layer(TestApp.layer())("The pages of providers", (it) => {
  it.effect("stop a sale after a review, once however often the form is sent, and resume it", () =>
    Effect.gen(function* () {
      yield* sync
      const sql = yield* SqlClient.SqlClient
      const before = yield* available
      const { browser, page } = yield* signedIn("support@example.com", "support")
      assert.include(page.text, 'href="/admin/providers"')
      const list = yield* browser.open(`${admin}/providers`)
      assertSafe(list, http)
      assert.include(list.text, "Nothing is paused.")

      const form = yield* browser.open(`${admin}/pause?what=kind:residential`)
      assertSafe(form, http)
      const short = yield* browser.submit({ reason: "no" })
      assert.strictEqual(short.status, 422)
      assert.include(short.text, "Give a reason of 3 to 500 characters")
      assert.match(short.text, /<option value="kind:residential" +selected>/)
      const review = yield* browser.submit({ reason, hours: "4" })
      assertSafe(review, http)
      for (const part of ["Stop this sale?", "Kind Residential", "4 hours", reason]) assert.include(review.text, part)
      assert.strictEqual(yield* available, before)
      const fields = Object.fromEntries(
        [...review.text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value])
      )
      const stopped = yield* browser.submit({ confirmed: "yes" })
      assert.include(stopped.text, "The sale is stopped.")
      assert.include(stopped.text, "Kind Residential")
      assert.strictEqual(yield* available, before - 1)
      const twice = yield* browser.post(`${admin}/pause`, fields)
      assert.include(twice.text, "The sale is stopped.")
      assert.lengthOf(yield* sql`SELECT FROM sales_pause`, 1)
      yield* browser.open(`${admin}/pause?what=kind:residential`)
      yield* browser.submit({ reason })
      const again = yield* browser.submit({ confirmed: "yes" })
      assert.strictEqual(again.status, 409)
      assert.include(again.text, "This is paused already.")

      const [{ id = "" } = {}] = yield* sql<{ id: string }>`SELECT id FROM sales_pause`
      const extend = yield* browser.open(`${admin}/pauses/${id}/extend`)
      assertSafe(extend, http)
      const extended = yield* browser.submit({ reason: "The outage lasts", hours: "72" })
      assert.include(extended.text, "The pause has a later end.")
      const ends = yield* sql`SELECT extract(epoch FROM until_at - placed_at)::int / 3600 AS hours FROM sales_pause`
      assert.deepStrictEqual(ends, [{ hours: 76 }])
      const resume = yield* browser.open(`${admin}/pauses/${id}`)
      assertSafe(resume, http)
      assert.include(resume.text, reason)
      const part = resume.text.slice(resume.text.indexOf(`action="/admin/pauses/${id}"`))
      const [, late = ""] = /name="form_token" value="([^"]*)"/.exec(part) ?? []
      const resumed = yield* browser.submit({ reason: "The vendor is back" })
      assert.include(resumed.text, "The pause has ended.")
      assert.strictEqual(yield* available, before)
      const pressed = { form_token: late, key: randomUUID(), reason: "The vendor is back" }
      const second = yield* browser.post(`${admin}/pauses/${id}`, pressed)
      assert.strictEqual(second.status, 409)
      for (const part of ["This pause has ended already.", "The vendor is back"]) assert.include(second.text, part)
      for (const path of [id, `${id}/extend`]) {
        const ended = yield* browser.open(`${admin}/pauses/${path}`)
        assertSafe(ended, http)
        assert.strictEqual(ended.status, 200)
        for (const part of ["This pause has ended", "The vendor is back"]) assert.include(ended.text, part)
        assert.notInclude(ended.text, "Resume now")
      }
      assert.strictEqual((yield* browser.open(`${admin}/pauses/${randomUUID()}`)).status, 404)
    })
  )

  it.effect("show calls, balance and stock; a viewer has no switch", () =>
    Effect.gen(function* () {
      yield* sync
      const sql = yield* SqlClient.SqlClient
      const { provider } = yield* MemoryProvider
      const now = yield* DateTime.now
      const durations = CallDurations.none()
      durations[CallDurations.stepOf(45)] = 4
      const calls = { provider: provider.name, operation: "provision", calls: 4, refused: 1, failed: 2, durations }
      yield* Effect.provide(
        CallCountsRepo.use(({ add }) => add([{ ...calls, failure: "HTTP 500 <b>" }], now)),
        CallCountsRepo.layer
      )
      const read_at = DateTime.toDate(now)
      yield* sql`
        INSERT INTO vendor_balance ${sql.insert({ provider: provider.name, balance_usd: 12_500_000, low_since: read_at, read_at })}
      `
      const { browser } = yield* signedIn("viewer@example.com", "viewer")
      const list = yield* browser.open(`${admin}/providers`)
      assertSafe(list, http)
      for (const part of ["Failing", "2 (50%)", "50 ms", "HTTP 500 &lt;b&gt;", "$12.50", ">low<"])
        assert.include(list.text, part)
      assert.notInclude(list.text, "Stop sales")
      const stock = yield* browser.open(`${admin}/providers/${provider.name}`)
      assertSafe(stock, http)
      for (const part of ["In stock", "Sold out"]) assert.include(stock.text, part)
      assert.notInclude(stock.text, "Stop sales")
      assert.strictEqual((yield* browser.open(`${admin}/providers/nobody`)).status, 404)
      assert.strictEqual((yield* browser.open(`${admin}/pause`)).status, 403)
    })
  )
})
