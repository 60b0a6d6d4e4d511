import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { initialize, message, newKey, open, send } from "./McpTesting.ts"

const list = message("tools/list")

/** The number of uses left in the limit. */
const left = ({ headers }: { headers: Readonly<Record<string, string | undefined>> }) =>
  Number(/r=(\d+)/.exec(headers["ratelimit"] ?? "")?.[1])

layer(TestApp.layer())("A batch of messages", (it) => {
  it.effect("refuses a batch in which two requests have one id, before anything is done", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const header = yield* open(credential)
      const twice = yield* send(credential, [message("ping", {}, 7), message("ping", {}, 7)], header)
      assert.deepStrictEqual([twice.status, twice.body.code], [400, "BAD_REQUEST"])
      assert.strictEqual(
        (yield* send(credential, [message("ping", {}, 7), message("ping", {}, "7")], header)).status,
        200
      )
    })
  )

  it.effect("refuses a batch that asks for one list twice, and counts it once", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const header = yield* open(credential)
      const lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
      const each = lists.map((method, id) => message(method, {}, id))
      const once = yield* send(credential, each, header)
      assert.sameMembers(
        once.body.map(({ id }: any) => id),
        [0, 1, 2, 3]
      )
      for (const method of lists) {
        const twice = yield* send(credential, [...each, message(method, { cursor: "a" }, 4)], header)
        assert.deepStrictEqual([twice.status, twice.body.code], [400, "BAD_REQUEST"], method)
      }
      assert.strictEqual(left(yield* send(credential, list, header)), left(once) - lists.length - 1)
    })
  )

  it.effect("refuses a batch with an invalid message, answers each message, and counts it once", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const header = yield* open(credential)
      const before = left(yield* send(credential, list, header))
      const batch = [
        message("ping", {}, "good"),
        1,
        {},
        { jsonrpc: "1.0", id: 7, method: "ping" },
        { jsonrpc: "2.0", id: null, method: "ping" },
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 8, result: {} },
        { jsonrpc: "2.0", id: 9 }
      ]
      const refused = yield* send(credential, batch, header)
      assert.strictEqual(refused.status, 400)
      assert.deepStrictEqual(
        refused.body.map(({ error, id }: any) => [id, error.code]),
        ["good", null, null, 7, null, 9].map((id) => [id, -32600])
      )
      assert.strictEqual(left(refused), before - 1)
      const tooMany = yield* send(
        credential,
        Array.from({ length: 51 }, () => list),
        header
      )
      assert.strictEqual(left(tooMany), before - 2)
      const begun = yield* send(credential, [list, { ...initialize, id: 2 }], header)
      assert.deepStrictEqual([begun.status, begun.body.code], [400, "BAD_REQUEST"])
      assert.include(begun.body.detail, "alone")
      const endless = yield* send(credential, `{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}`, header)
      assert.deepStrictEqual([endless.status, endless.body.id, endless.body.error.code], [400, null, -32600])
      const none = yield* send(credential, [], header)
      assert.deepStrictEqual([none.status, none.body.error.code], [400, -32600])
    })
  )

  it.effect("answers every message of a batch, and counts each against the limit", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const header = yield* open(credential)
      const before = left(yield* send(credential, list, header))
      const batch = [message("ping", {}, "a"), message("tools/list", {}, "b"), message("nothing", {}, "c")]
      const answered = yield* send(credential, batch, header)
      assert.deepStrictEqual(answered.body.map(({ id }: any) => id).toSorted(), ["a", "b", "c"])
      assert.strictEqual(left(answered), before - 3)
    })
  )
})

layer(TestApp.layer({ RATE_LIMIT_PER_MINUTE: "6" }))("The limit of the tool endpoint", (it) => {
  it.effect("is shared with the REST API, counts each call of a batch, and refuses a batch over it", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const header = yield* open(credential)
      yield* request("GET", "/v1/wallet", { headers: credential })
      const batch = ["a", "b", "c", "d"].map((id) => message("ping", {}, id))
      const over = yield* send(credential, batch, header)
      assert.deepStrictEqual([over.status, over.body.code], [429, "RATE_LIMITED"])
      assert.strictEqual(over.headers["retry-after"], String(over.body.details.retry_after))
      assert.strictEqual((yield* send(credential, batch.slice(1), header)).status, 200)
    })
  )
})
