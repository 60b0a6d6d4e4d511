import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as TestApp from "../support/TestApp.ts"
import { record, recordAttempts } from "../webhooks/WebhooksTesting.ts"
import { placeOf, wordsOf } from "./DeskTesting.ts"
import { withEndpoint } from "./WebhookPagesTesting.ts"

layer(TestApp.layer(), { excludeTestServices: true })("the pages of webhook deliveries", (it) => {
  it.effect("list the deliveries by status, 25 on a page", () =>
    Effect.gen(function* () {
      const { endpoint, path, visit } = yield* withEndpoint()
      for (let minute = 0; minute < 30; minute++) yield* record(endpoint, { minute })
      yield* record(endpoint, { status: "abandoned", minute: 40 })
      const first = wordsOf(yield* visit(path))
      assert.include(first, "1 to 25 of 31")
      assert.match(first, /active → expiring Abandoned 5 /)
      assert.include(wordsOf(yield* visit(`${path}?offset=25`)), "26 to 31 of 31")
      const failed = wordsOf(yield* visit(`${path}?status=failed`))
      assert.include(failed, "There is no delivery here.")
      const abandoned = yield* visit(`${path}?status=abandoned`)
      assert.match(abandoned.text, /status=abandoned#log"\s+aria-current="page"/)
      assert.strictEqual(abandoned.text.match(/role="row"/g)?.length, 2)
      assert.strictEqual((yield* visit(`${path}?status=%22%3E&offset=x&test=7`)).status, 200)
      assert.strictEqual(placeOf(yield* visit(`${path}?offset=500`)), path)
    })
  )

  it.effect("show a delivery with its attempts, and send its event again once for each form", () =>
    Effect.gen(function* () {
      const { endpoint, page, path, submit, user_id, visit } = yield* withEndpoint()
      const { event_id, id } = yield* record(endpoint, { status: "failed", attempt: 2 })
      yield* recordAttempts(id, [
        { duration_ms: 10_000, status_code: null, error: "No answer within 10 seconds" },
        { duration_ms: 7, status_code: 404, error: "The receiver answered <b>404</b>" }
      ])
      const shown = yield* visit(`${path}/deliveries/${id}`)
      assert.include(wordsOf(shown), event_id)
      assert.include(wordsOf(shown), "We stopped after 10,000 ms. Reason: No answer within 10 seconds")
      assert.include(shown.text, "The receiver answered &lt;b&gt;404")
      assert.notInclude(shown.text, "data-live")
      const nonce = page()?.forms.find(({ names }) => names.has("nonce"))?.values["nonce"] ?? ""
      const sent = yield* submit({}, { action: "/redeliver" })
      const next = placeOf(sent)
      assert.match(next, new RegExp(`^${path}/deliveries/[0-9a-f-]{36}\\?outcome=sent`))
      assert.notInclude(next, id)
      assert.include(wordsOf(sent), "The event is on its way again.")
      assert.include(sent.text, 'data-live="5"')
      yield* visit(`${path}/deliveries/${id}`)
      assert.strictEqual(placeOf(yield* submit({ nonce }, { action: "/redeliver" })), next)
      yield* visit(`${path}/deliveries/${id}`)
      const refused = yield* submit({}, { action: "/redeliver" })
      assert.deepStrictEqual([refused.status, wordsOf(refused).includes("is being delivered already")], [409, true])
      const sql = yield* SqlClient.SqlClient
      assert.strictEqual((yield* sql`SELECT id FROM webhook_delivery WHERE event_id = ${event_id}`).length, 2)
      yield* sql`UPDATE webhook_endpoint SET enabled = false WHERE user_id = ${user_id}`
      const off = yield* submit({}, { action: "/redeliver" })
      assert.deepStrictEqual([off.status, wordsOf(off).includes("The endpoint is off.")], [409, true])
    })
  )

  it.effect("offer to send no test again", () =>
    Effect.gen(function* () {
      const { endpoint, path, visit } = yield* withEndpoint()
      const { id } = yield* record(endpoint, { is_test: true })
      const shown = yield* visit(`${path}/deliveries/${id}`)
      assert.include(wordsOf(shown), "A test cannot be sent again.")
      assert.isFalse(shown.forms.some(({ action }) => action.includes("redeliver")))
    })
  )
})
