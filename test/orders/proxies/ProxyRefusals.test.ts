import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { newPerson } from "../../contract/ContractTesting.ts"
import { wordsOf } from "../../dashboard/DeskTesting.ts"
import { atProxy } from "../../dashboard/ProxyPagesTesting.ts"
import { reprice } from "../../support/Repricing.ts"
import * as TestApp from "../../support/TestApp.ts"
import { request } from "../../support/TestServer.ts"

const at = "2027-01-31T12:00:00.000Z"
const times = { first_at: DateTime.makeUnsafe(at), last_at: DateTime.makeUnsafe(at) }
const client = { reason: "not_whitelisted", source_ip: "203.0.113.7", host: null, port: null, count: 1_200 } as const
const destination = { reason: "name_not_found", source_ip: null, host: "example.test", port: 443, count: 1 } as const

layer(TestApp.layer(), { excludeTestServices: true })("The refused connections of a proxy", (it) => {
  it.effect("are for its owner, in the API and on its page", () =>
    Effect.gen(function* () {
      yield* reprice(100)
      const { account, id, memory, path, visit } = yield* atProxy()
      const user: string = account.token
      const list = request("GET", `/v1/orders/${id}/refusals`, { user })
      assert.deepStrictEqual((yield* list).body, { order_id: id, refusals: [] })
      assert.notInclude(wordsOf(yield* visit(path)), "Refused connections")
      memory.refused.push({ ...client, ...times }, { ...destination, ...times })
      assert.deepStrictEqual((yield* list).body, {
        order_id: id,
        refusals: [client, destination].map((row) => ({ ...row, first_at: at, last_at: at }))
      })
      const words = wordsOf(yield* visit(path))
      assert.match(words, /The address is not among the allowed addresses 203\.0\.113\.7 1,200/)
      assert.match(words, /The name of the destination was not found example\.test:443 1/)

      const { session } = yield* newPerson
      const asked = (order: string) => request("GET", `/v1/orders/${order}/refusals`, { user: session })
      assert.strictEqual((yield* asked(id)).status, 403)
      assert.strictEqual((yield* asked(randomUUID())).status, 404)
    })
  )

  it.effect("are unknown while the provider is down, when it counts none, and after the end", () =>
    Effect.gen(function* () {
      const { account, id, memory, path, visit } = yield* atProxy()
      const user: string = account.token
      const status = Effect.map(request("GET", `/v1/orders/${id}/refusals`, { user }), ({ status }) => status)
      memory.setDown(true)
      assert.strictEqual(yield* status, 503)
      assert.strictEqual((yield* visit(path)).status, 200)
      memory.setDown(false)
      const { refusals } = memory.provider
      Reflect.deleteProperty(memory.provider, "refusals")
      assert.strictEqual(yield* status, 400)
      Reflect.set(memory.provider, "refusals", refusals)
      assert.strictEqual(yield* status, 200)
      yield* request("POST", `/v1/orders/${id}/release`, { user })
      assert.strictEqual(yield* status, 400)
    })
  )
})
