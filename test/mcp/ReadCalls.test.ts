import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { UserId } from "../../src/accounts/User.ts"
import { sell } from "../rpc/RpcTesting.ts"
import * as Fixtures from "../support/Fixtures.ts"
import * as Gate from "../support/Gate.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { offerId } from "../support/OrderTesting.ts"
import * as TestApp from "../support/TestApp.ts"
import { type Credential, message, newKey, open, send, session } from "./McpTesting.ts"

const revisions = ["2025-03-26", "2025-06-18", "2025-11-25"]

/** Both are valid. Clients usually send the first; the server of the framework answers the second. */
const accepts = ["application/json, text/event-stream", "text/event-stream, application/json"]

/** The answer as it arrived, without the fields that differ for each request. */
const raw = Effect.fnUntraced(function* (headers: Credential, body: object) {
  const request = HttpClientRequest.post("/mcp").pipe(
    HttpClientRequest.setHeaders(headers),
    HttpClientRequest.bodyJsonUnsafe(body)
  )
  const response = yield* HttpClient.execute(request)
  const { date: _, ratelimit: __, "x-request-id": ___, ...kept } = response.headers
  return { status: response.status, headers: kept, text: yield* response.text }
})

const ordered = Effect.gen(function* () {
  const { account, credential } = yield* newKey()
  yield* Fixtures.fund(UserId.make(account.id), 100_000_000n)
  const { ask, call } = yield* session(credential)
  const { answer } = yield* call("create_proxy_order", {
    offer_id: yield* offerId("Datacenter"),
    quantity: 1,
    payment_method: "wallet",
    idempotency_key: "one",
    confirm: true
  })
  const { result } = yield* ask("tools/list")
  const reading = result.tools.filter(({ annotations }: any) => annotations.readOnlyHint)
  return { credential, order_id: answer.orders[0].id as string, names: reading.map(({ name }: any) => name) }
})

layer(TestApp.layer({ RATE_LIMIT_PER_MINUTE: "10000" }))("A call of a tool that only reads", (it) => {
  it.effect("gets the same answer as from the server of the framework, byte for byte", () =>
    Effect.gen(function* () {
      yield* sell({})
      const { credential, names, order_id } = yield* ordered
      assert.includeMembers(names, ["list_offers", "get_order", "list_my_orders", "get_wallet_balance"])
      const { credential: restricted } = yield* newKey({ scopes: ["account:read"] })
      const given = [undefined, { response_format: "json" }, { order_id }, { currency: "USD", kind: 7 }]
      const compare = Effect.fnUntraced(function* (headers: Credential, call: ReturnType<typeof message>) {
        const [first, second] = yield* Effect.forEach(accepts, (accept) => raw({ accept, ...headers }, call))
        assert.deepStrictEqual(first, second, JSON.stringify([headers, call]))
      })
      for (const revision of revisions) {
        const headers = { ...credential, ...(yield* open(credential, revision)) }
        for (const name of [...names, "steal"])
          for (const [id, values] of given.entries())
            yield* compare(headers, message("tools/call", { name, arguments: values }, id === 0 ? '"' : id))
        yield* compare(
          { ...restricted, ...(yield* open(restricted, revision)) },
          message("tools/call", { name: "list_offers" })
        )
      }
    })
  )

  it.effect("gets 404 when its session ends meanwhile", () =>
    Effect.gen(function* () {
      yield* sell({})
      const { credential, order_id } = yield* ordered
      const { provider } = yield* MemoryProvider
      const gate = yield* Gate.make
      Reflect.set(provider, "get", () => Effect.as(gate.pass, undefined))
      const header = yield* open(credential)
      const underway = yield* Effect.forkChild(
        send(credential, message("tools/call", { name: "get_order", arguments: { order_id } }), header)
      )
      yield* gate.reached
      assert.strictEqual((yield* send(credential, undefined, header, "DELETE")).status, 204)
      yield* gate.open
      const { body, status } = yield* Fiber.join(underway)
      assert.deepStrictEqual([status, body.code], [404, "NOT_FOUND"])
    })
  )
})
