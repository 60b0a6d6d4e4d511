import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import { OrderId } from "../../../src/orders/Order.ts"
import { ProxyHistory } from "../../../src/orders/proxies/ProxyHistory.ts"
import { wordsOf } from "../../dashboard/DeskTesting.ts"
import { atProxy } from "../../dashboard/ProxyPagesTesting.ts"
import { newPerson } from "../../contract/ContractTesting.ts"
import { offerId } from "../../support/OrderTesting.ts"
import { MemoryProvider } from "../../support/MemoryProvider.ts"
import { reprice } from "../../support/Repricing.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"

/** The order of a person, and a key of the person. */
const proxyWithKey = Effect.gen(function* () {
  yield* reprice(100)
  const person = yield* atProxy("Residential")
  const user: string = person.account.token
  const { body } = yield* request("POST", "/v1/api-keys", { user, body: { name: "cron" } })
  const at = `/v1/orders/${person.id}`
  const history = (query = "") => Effect.map(request("GET", `${at}/history${query}`, { user }), ({ body }) => body)
  const post = (path: string, as: object, body: object) => request("POST", `${at}/${path}`, { ...as, body })
  return { ...person, user, key: body.key as string, key_id: body.id as string, at, history, post }
})

layer(TestApp.layer(), { excludeTestServices: true })("The history of an order", (it) => {
  it.effect("tells what happened, who did it, and what it cost, newest first", () =>
    Effect.gen(function* () {
      const { history, id, key, key_id, path, post, user, visit } = yield* proxyWithKey
      yield* post("extend", { key }, { months: 1 })
      yield* post("auto-renew", { user }, { enabled: true })
      yield* post("auto-renew", { key }, { enabled: true })
      yield* post("auto-renew", { key }, { enabled: false })
      ;(yield* MemoryProvider).nextChange("refuse")
      yield* post("bandwidth", { user }, { bandwidth_gb: 2 })
      yield* ProxyHistory.use(({ renewalFailed }) => renewalFailed(OrderId.make(id), "balance"))
      const { history: entries, ...part } = yield* history()
      assert.deepStrictEqual(part, { total: 8, limit: 50, offset: 0 })
      assert.deepStrictEqual(
        entries.map(({ actor, actor_name, amount, kind, reason }: any) => [kind, actor, actor_name, amount, reason]),
        [
          ["renewal_failed", "service", null, null, "balance"],
          ["refunded", "service", null, 1.2, null],
          ["change_failed", "session", null, 1.2, "provider_refused"],
          ["auto_renew_off", "api_key", "cron", null, null],
          ["auto_renew_on", "session", null, null, null],
          ["extended", "api_key", "cron", 3.5, null],
          ["delivered", "service", null, null, null],
          ["ordered", "owner", null, 3.5, null]
        ]
      )
      assert.deepInclude(entries[5], { months: 1, added_gb: null, currency: "USD", actor_id: key_id })
      const page = yield* history("?limit=2&offset=4")
      assert.deepStrictEqual(page, { history: entries.slice(4, 6), total: 8, limit: 2, offset: 4 })
      const words = wordsOf(yield* visit(path))
      assert.include(words, "The automatic renewal failed Your balance was too low.")
      assert.include(words, "A purchase for this proxy failed The provider refused. The money was returned.")
      assert.match(words, /Extended by 1 month API key cron .*\$3\.50/)
    })
  )

  it.effect("names a revoked key, an app, and whoever is on record for an order", () =>
    Effect.gen(function* () {
      const { history, id, key_id, user } = yield* proxyWithKey
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO oauth_client (id, is_verified, name, redirect_uris, grant_types, application_type,
          token_endpoint_auth_method, created_at, last_used_at)
        VALUES (${`dcr_${id}`}, false, 'Assistant', ARRAY['http://127.0.0.1/'], ARRAY['authorization_code'], 'native',
          'none', now(), now())`
      yield* sql`UPDATE proxy_order SET oauth_client_id = ${`dcr_${id}`} WHERE id = ${id}`
      assert.deepInclude((yield* history("?offset=1")).history[0], { actor: "oauth", actor_name: "Assistant" })
      yield* sql`UPDATE proxy_order SET oauth_client_id = NULL, api_key_id = ${key_id} WHERE id = ${id}`
      yield* request("DELETE", `/v1/api-keys/${key_id}`, { user })
      assert.deepInclude((yield* history("?offset=1")).history[0], { actor: "api_key", actor_id: key_id })
    })
  )

  it.effect("names the owner as the one who cancelled an unpaid order", () =>
    Effect.gen(function* () {
      const { user } = yield* proxyWithKey
      const body = { offer_id: yield* offerId("Datacenter"), payment_method: "card_gateway" }
      const placed = yield* request("POST", "/v1/orders", { user, body })
      const at = `/v1/orders/${placed.body[0].id}`
      yield* request("POST", `${at}/cancel`, { user })
      const { history } = (yield* request("GET", `${at}/history`, { user })).body
      assert.deepInclude(history[0], { kind: "cancelled", actor: "owner" })
    })
  )

  it.effect("is for its owner only", () =>
    Effect.gen(function* () {
      const { at } = yield* proxyWithKey
      const { session } = yield* newPerson
      assert.strictEqual((yield* request("GET", `${at}/history`, { user: session })).status, 403)
      assert.strictEqual((yield* request("GET", `/v1/orders/${randomUUID()}/history`, { user: session })).status, 404)
    })
  )

  it.effect("keeps an actor that fits its event, in the database too", () =>
    Effect.gen(function* () {
      const { id, post, user } = yield* proxyWithKey
      yield* post("extend", { user }, { months: 1 })
      yield* post("auto-renew", { user }, { enabled: true })
      const sql = yield* SqlClient.SqlClient
      for (const [table, wrong] of [
        ["proxy_change", "actor = 'service'"],
        ["proxy_change", "actor_id = 'x'"],
        ["proxy_change", "actor = 'api_key'"],
        ["order_event", "actor = 'service'"],
        ["order_event", "actor_id = 'x'"],
        ["order_event", "reason = 'balance'"],
        ["order_event", "kind = 'renewal_failed'"]
      ] as const) {
        const change = sql`UPDATE ${sql(table)} SET ${sql.literal(wrong)} WHERE order_id = ${id}`
        assert.strictEqual((yield* Effect.flip(change)).reason._tag, "ConstraintError", `${table} ${wrong}`)
      }
      const both = sql`UPDATE proxy_order SET api_key_id = ${randomUUID()}, oauth_client_id = 'x' WHERE id = ${id}`
      assert.strictEqual((yield* Effect.flip(both)).reason._tag, "ConstraintError")
    })
  )
})
