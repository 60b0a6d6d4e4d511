import { assert, layer } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { vi } from "vitest"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { message, open, send } from "../mcp/McpTesting.ts"
import { request } from "../support/TestServer.ts"
import { agent, layer as app } from "./RpcTesting.ts"

const calls = Array.from({ length: 50 }, (_, id) => id)
const offers = { name: "list_offers", arguments: { response_format: "json" } }

/** Lists the offers 50 times in one request. */
const batches = {
  "/mcp": Effect.fnUntraced(function* (credential: { readonly "x-api-key": string }) {
    const batch = calls.map((id) => message("tools/call", offers, id))
    return yield* send(credential, batch, yield* open(credential))
  }),
  "/rpc": (headers: { readonly "x-api-key": string }) => {
    const { arguments: payload, name: tag } = offers
    const lines = calls.map((id) => JSON.stringify({ _tag: "Request", id, tag, payload }))
    return request("POST", "/rpc", { headers, body: lines.join("\n") })
  }
}

const credentialOf = Effect.map(agent(), ({ key }) => ({ "x-api-key": key }))

/** Counts the iterations of the event loop. Other requests run between them. */
const iterations = Effect.acquireRelease(
  Effect.sync(() => {
    const counter = { count: 0, next: setImmediate(() => {}) }
    const again = () => {
      counter.count++
      counter.next = setImmediate(again)
    }
    again()
    return counter
  }),
  (counter) => Effect.sync(() => clearImmediate(counter.next))
)

layer(app)("The calls of a request", (it) => {
  it.effect.each(["/mcp", "/rpc"] as const)("run in iterations of the event loop of their own, at %s", (path) =>
    Effect.gen(function* () {
      const credential = yield* credentialOf
      const catalog = yield* Catalog
      const counter = yield* iterations
      const { answer } = catalog
      const seen: Array<number> = []
      const spy = vi.spyOn(catalog, "answer").mockImplementation((...given) => {
        seen.push(counter.count)
        return answer(...given)
      })
      yield* Effect.addFinalizer(() => Effect.sync(() => spy.mockRestore()))
      const { status } = yield* batches[path](credential)
      assert.deepStrictEqual([status, seen.length, new Set(seen).size], [200, 50, 50])
    })
  )

  it.effect("encode the offers once, as long as the catalog stays the same", () =>
    Effect.gen(function* () {
      const credential = yield* credentialOf
      const spy = vi.spyOn(JSON, "stringify")
      yield* Effect.addFinalizer(() => Effect.sync(() => spy.mockRestore()))
      const [first, ...others] = (yield* batches["/mcp"](credential)).body.map(({ result }: any) => result)
      assert.isAtMost(spy.mock.calls.filter(([value]) => Predicate.hasProperty(value, "offers")).length, 1)
      assert.include(first.content[0].text, `"offers":[{"id":`)
      assert.lengthOf(others, 49)
      for (const other of others) assert.deepStrictEqual(other, first)
    })
  )
})
