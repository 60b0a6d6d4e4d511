import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { reprice } from "../support/Repricing.ts"
import * as TestApp from "../support/TestApp.ts"
import { faultsOf, hostile, noticeOf, placeOf, wordsOf } from "./DeskTesting.ts"
import { atProxy } from "./ProxyPagesTesting.ts"

const totals = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ kind: string; total: bigint }>`
    SELECT kind, total FROM proxy_change WHERE order_id = ${id} ORDER BY id`
  return rows.map(({ kind, total }) => [kind, total] as const)
})

layer(TestApp.layer(), { excludeTestServices: true })("The purchases on the page of a proxy", (it) => {
  it.effect("extends a static proxy at the price that was shown, once for a form that is sent twice", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { balance, id, page, path, post, submit } = yield* atProxy()
      const review = yield* submit({ months: "3" }, { action: "/extend" })
      assert.strictEqual(placeOf(review), `${path}/extend?months=3`)
      assert.include(wordsOf(review), "Total $4.00 Your wallet: $98.50 now, $94.50 afterwards.")
      assert.match(wordsOf(review), /Added time (89|90|91|92) days New end/)
      const sent = page()!.forms.find(({ names }) => names.has("nonce"))!.values
      assert.deepInclude(sent, { months: "3", expected_total: "4.00" })
      const { form_token: _token, ...fields } = sent as Record<string, string>
      const answers = yield* Effect.all([submit({}, { action: "/extend" }), post(`${path}/extend`, fields)], {
        concurrency: 2
      })
      for (const answer of answers) assert.strictEqual(noticeOf(answer), "The proxy is extended.")
      assert.strictEqual(noticeOf(yield* post(`${path}/extend`, fields)), "The proxy is extended.")
      assert.deepStrictEqual(yield* totals(id), [["append", 4_000_000n]])
      assert.strictEqual(yield* balance, 94_500_000n)
      assert.include(wordsOf(page()!), "Extended by 3 months you")
    })
  )

  it.effect("extends once from two tabs, and asks again in the second with the present end", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { balance, browser, id, path, row, visit } = yield* atProxy()
      const tab = () =>
        Effect.map(visit(`${path}/extend?months=1`), ({ forms }) => {
          const form = forms.find(({ names }) => names.has("nonce"))
          return { nonce: form?.values["nonce"], send: browser.post(form?.action ?? "", form?.values ?? {}) }
        })
      const [first, second] = [yield* tab(), yield* tab()]
      assert.notStrictEqual(first.nonce, second.nonce)
      assert.strictEqual(noticeOf(yield* first.send), "The proxy is extended.")
      const { expires_at } = yield* row
      const again = yield* second.send
      assert.strictEqual(again.status, 409)
      assert.include(faultsOf(again)[""], "after you opened the page")
      assert.strictEqual(noticeOf(yield* first.send), "The proxy is extended.", "the first tab, loaded again")
      assert.deepStrictEqual(yield* totals(id), [["append", 1_500_000n]])
      assert.strictEqual(yield* balance, 97_000_000n)
      const form = again.forms.find(({ names }) => names.has("nonce"))
      assert.strictEqual(form?.values["expected_expires_at"], expires_at.toISOString())
      const agreed = yield* browser.post(form?.action ?? "", form?.values ?? {})
      assert.strictEqual(noticeOf(agreed), "The proxy is extended.")
      assert.strictEqual(yield* balance, 95_500_000n)
    })
  )

  it.effect("buys traffic once from two tabs", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { balance, browser, id, path, visit } = yield* atProxy("Residential")
      const tab = () =>
        Effect.map(visit(`${path}/traffic?bandwidth_gb=10`), ({ forms }) => {
          const form = forms.find(({ names }) => names.has("nonce"))
          return browser.post(form?.action ?? "", form?.values ?? {})
        })
      const [first, second] = [yield* tab(), yield* tab()]
      assert.strictEqual(noticeOf(yield* first), "The proxy has more traffic.")
      const again = yield* second
      assert.strictEqual(again.status, 409)
      assert.include(wordsOf(again), "Traffic afterwards 70 GB")
      assert.deepStrictEqual(yield* totals(id), [["traffic", 6_000_000n]])
      assert.strictEqual(yield* balance, 90_500_000n)
    })
  )

  it.effect("extends a mobile proxy by a tariff, and says what is lost", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { id, page, row, submit, visit, path } = yield* atProxy("Mobile")
      assert.include(wordsOf(page()!), "Extend with 1 day, 5 GB, $2.00")
      const review = yield* submit({ tarification_index: "0" }, { action: "/extend" })
      assert.include(wordsOf(review), "The rest of the running term and its traffic are lost.")
      assert.include(wordsOf(review), "Traffic afterwards 5 GB Total $2.00")
      assert.strictEqual(noticeOf(yield* submit({}, { action: "/extend" })), "The proxy is extended.")
      assert.deepStrictEqual(yield* totals(id), [["restart", 2_000_000n]])
      assert.strictEqual((yield* row).bandwidth_gb, 5)
      assert.strictEqual((yield* visit(`${path}/extend?tarification_index=99`)).status, 422)
      assert.strictEqual((yield* visit(`${path}/extend?tarification_index=%3Cb%3E`)).status, 200)
    })
  )

  it.effect("buys traffic where the offer sells it", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { balance, id, page, path, post, row, submit, visit } = yield* atProxy("Residential")
      assert.include(wordsOf(page()!), "$0.60 for each GB")
      const review = yield* submit({ bandwidth_gb: "20" }, { action: "/traffic" })
      assert.include(wordsOf(review), "20 GB more traffic")
      assert.include(wordsOf(review), "Traffic afterwards 70 GB Total $12.00")
      const { form_token: _token, ...fields } = page()!.forms.find(({ names }) => names.has("nonce"))!.values as Record<
        string,
        string
      >
      assert.strictEqual(noticeOf(yield* submit({}, { action: "/traffic" })), "The proxy has more traffic.")
      assert.strictEqual(noticeOf(yield* post(`${path}/traffic`, fields)), "The proxy has more traffic.")
      assert.deepStrictEqual(yield* totals(id), [["traffic", 12_000_000n]])
      assert.strictEqual(yield* balance, 84_500_000n)
      assert.strictEqual((yield* row).bandwidth_gb, 70)
      assert.include(wordsOf(page()!), "20 GB of traffic bought you")
      for (const amount of ["", "0", "5001", "1.5", "-1", "many", hostile]) {
        const refused = yield* visit(`${path}/traffic?${new URLSearchParams({ bandwidth_gb: amount }).toString()}`)
        assert.strictEqual(refused.status, 422, amount)
        assert.deepStrictEqual(Object.keys(faultsOf(refused)), ["bandwidth_gb"])
        assert.notInclude(refused.text, "<script>alert")
      }
      const unlimited = yield* atProxy("Datacenter")
      assert.notInclude(unlimited.page()!.text, `${unlimited.path}/traffic`)
      assert.strictEqual((yield* unlimited.visit(`${unlimited.path}/traffic?bandwidth_gb=1`)).status, 400)
    })
  )

  it.effect("charges nothing when the price has changed or the money is missing, and shows the present price", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { balance, id, row, submit, path, post } = yield* atProxy("Residential")
      const money = yield* balance
      const nonce = randomUUID()
      const seen = { expected_bandwidth_total_gb: "50" }
      const wrong = yield* post(`${path}/traffic`, { bandwidth_gb: "10", expected_total: "5.99", ...seen, nonce })
      assert.strictEqual(wrong.status, 409)
      assert.include(faultsOf(wrong)[""], "The price has changed. Nothing was charged. It is now $6.00")
      assert.include(wordsOf(wrong), "Total $6.00")
      const dear = yield* post(`${path}/traffic`, {
        bandwidth_gb: "5000",
        expected_total: "3000",
        ...seen,
        nonce: randomUUID()
      })
      assert.strictEqual(dear.status, 409)
      assert.include(wordsOf(dear), "Your wallet lacks $2,903.50.")
      const back = `next=${encodeURIComponent(`/app/${path}/traffic?bandwidth_gb=5000`)}`
      assert.include(dear.text, `/app/wallet/top-up?currency=USD&amp;amount=2903.50&amp;${back}`)
      const expected_expires_at = (yield* row).expires_at.toISOString()
      for (const fields of [
        { months: "25" },
        { months: "1", nonce: "x" },
        { months: "1", expected_total: "-1" },
        { months: "1", expected_total: hostile }
      ]) {
        const refused = yield* post(`${path}/extend`, {
          expected_total: "3.5",
          expected_expires_at,
          nonce: randomUUID(),
          ...fields
        })
        assert.strictEqual(refused.status, 422, JSON.stringify(fields))
        assert.notInclude(refused.text, "<script>alert")
      }
      assert.strictEqual(
        (yield* post(`${path}/extend`, { expected_total: "1", expected_expires_at, nonce: randomUUID() })).status,
        400
      )
      assert.strictEqual((yield* submit({ form_token: null }, { action: "/extend" })).status, 403)
      assert.deepStrictEqual(yield* totals(id), [])
      assert.strictEqual(yield* balance, money)
    })
  )
})
