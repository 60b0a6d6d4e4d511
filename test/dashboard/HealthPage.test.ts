import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { reprice } from "../support/Repricing.ts"
import * as TestApp from "../support/TestApp.ts"
import { faultsOf, noticeOf, placeOf, wordsOf } from "./DeskTesting.ts"
import { atProxy } from "./ProxyPagesTesting.ts"

layer(TestApp.layer(), { excludeTestServices: true })("The page of the health of a proxy", (it) => {
  it.effect("shows its tries and outages of the last days", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { id, path, visit } = yield* atProxy()
      const before = yield* visit(`${path}/health`)
      assert.include(wordsOf(before), "We have not tried this proxy in the last 7 days.")
      assert.notInclude(before.text, `id="outages"`)
      const sql = yield* SqlClient.SqlClient
      const now = new Date()
      const earlier = new Date(now.getTime() - 3_600_000)
      yield* sql`INSERT INTO proxy_health (order_id, vantage, tried_at, worked_at) VALUES (${id}, 'centre', ${now}, ${now})`
      yield* sql`
        INSERT INTO proxy_probe_hour (order_id, vantage, hour, probes, failures, connect_ms, first_byte_ms)
        VALUES (${id}, 'centre', ${earlier}, 4, 1, 30, 60)
      `
      yield* sql`
        INSERT INTO proxy_outage (id, order_id, from_at, to_at, ended_by, error, created_at)
        VALUES (gen_random_uuid(), ${id}, ${earlier}, ${now}, 'works', 'timeout', ${earlier})
      `
      const after = wordsOf(yield* visit(`${path}/health`))
      for (const words of ["It works", "75 % of the tries worked", "Works again"]) assert.include(after, words)
    })
  )

  it.effect("checks the proxy, replaces it on its first day, and says why not again", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { id, memory, path, row, submit, visit } = yield* atProxy()
      yield* visit(`${path}/health`)
      const checked = yield* submit({}, { action: "/check" })
      assert.strictEqual(checked.status, 200)
      assert.include(wordsOf(checked), "On its first day we replace the address once, free of charge.")
      const before = yield* row
      const replaced = yield* submit({}, { action: "/replace" })
      assert.strictEqual(placeOf(replaced), `${path}/health?outcome=replaced`)
      assert.strictEqual(noticeOf(replaced), "The proxy has another exit address.")
      assert.strictEqual(memory.leases.get(id)?.proxy.current_ip, "192.0.2.99")
      const after = yield* row
      assert.deepStrictEqual([after.host, after.password], [before.host, before.password])
      const refused = yield* submit({}, { action: "/replace" })
      assert.strictEqual(refused.status, 409)
      assert.match(Object.values(faultsOf(refused)).join(), /failed three times in a row/)
    })
  )

  it.effect("switches the replacement without a request", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { id, path, submit, visit } = yield* atProxy()
      const sql = yield* SqlClient.SqlClient
      const chosen = Effect.map(
        sql<{ auto_replace: boolean }>`SELECT auto_replace FROM proxy_order WHERE id = ${id}`,
        ([order]) => order?.auto_replace
      )
      assert.include(wordsOf(yield* visit(`${path}/health`)), "we replace its address by ourselves")
      assert.strictEqual(noticeOf(yield* submit({}, { action: "/auto-replace" })), "The choice is saved.")
      assert.isFalse(yield* chosen)
      yield* submit({}, { action: "/auto-replace" })
      assert.isTrue(yield* chosen)
    })
  )
})
