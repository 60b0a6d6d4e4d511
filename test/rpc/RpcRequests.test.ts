import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { balanceOf, offerId } from "../support/OrderTesting.ts"
import { request } from "../support/TestServer.ts"
import * as Testing from "./RpcTesting.ts"

const call = (id: unknown, tag: string, payload: unknown) =>
  JSON.stringify({ _tag: "Request", id, tag, payload, headers: [] })

const send = (key: string, body: string) => request("POST", "/rpc", { key, body })

/** The outcome of each call, by its id. */
const answersOf = ({ body }: { body: unknown }) => {
  const lines: ReadonlyArray<any> =
    typeof body === "string"
      ? body
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : [body]
  return new Map(lines.map(({ exit, requestId }) => [requestId, exit]))
}

const failureOf = (exit: any) => {
  assert.strictEqual(exit.cause?.[0]?._tag, "Fail", JSON.stringify(exit))
  return exit.cause[0].error
}

layer(Testing.layer, { excludeTestServices: true })("A request to the RPC endpoint", (it) => {
  const order = Effect.map(offerId("Datacenter"), (offer_id) => ({
    offer_id,
    quantity: 1,
    idempotency_key: "once",
    payment_method: "wallet",
    confirm: true
  }))

  it.effect("treats null arguments as absent", () =>
    Effect.gen(function* () {
      const { key } = yield* Testing.agent()
      const body = [call("1", "list_offers", null), call("2", "get_order", null)].join("\n")
      const answers = answersOf(yield* send(key, body))
      assert.strictEqual(answers.get("1")._tag, "Success")
      const missing = failureOf(answers.get("2"))
      assert.deepStrictEqual([missing.status, missing.detail[0].loc], [422, ["arguments", "order_id"]])
    })
  )

  it.effect("may end without a newline; every call gets an answer", () =>
    Effect.gen(function* () {
      const { key, user } = yield* Testing.agent()
      const lines = [call("a", "list_flags", {}), call(1, "create_proxy_order", yield* order)]
      const unseen = JSON.stringify({ ...JSON.parse(lines[1]!), isNotification: true, discard: true })
      for (const body of [lines.join("\n"), `${lines.join("\r\n")}\n\n`, `${lines[0]}\n${unseen}`]) {
        const answers = answersOf(yield* send(key, body))
        assert.deepStrictEqual([...answers.keys()].toSorted(), [1, "a"])
        assert.strictEqual(answers.get(1).value.orders.length, 1)
      }
      assert.strictEqual(yield* balanceOf(user), 98_500_000n)
    })
  )

  it.effect("is refused as a whole when one message is not a call", () =>
    Effect.gen(function* () {
      const { key, user } = yield* Testing.agent()
      const given = yield* order
      const buy = call("1", "create_proxy_order", given)
      const bodies = [
        `${buy}\n${buy}\n`,
        `${buy}\nnull\n`,
        `${buy}\n{"_tag": "Interrupt", "requestId": "1"}\n`,
        `${buy}\n{`,
        call(null, "create_proxy_order", given),
        Array.from({ length: 51 }, (_, id) => call(id, "list_flags", {})).join("\n"),
        "\n"
      ]
      const answers = yield* Effect.forEach(bodies, (body) => send(key, body))
      for (const { body, status } of answers) assert.deepStrictEqual([status, body.code], [400, "BAD_REQUEST"])
      assert.include(answers[0]?.body.detail, "different ids")
      assert.include(answers[1]?.body.detail, "Message 2")
      assert.strictEqual(yield* balanceOf(user), 100_000_000n)
    })
  )

  it.effect("gets failures for an unknown tool, then a missing scope, then invalid arguments", () =>
    Effect.gen(function* () {
      const { key } = yield* Testing.agent({ scopes: ["orders:write", "orders:read"] })
      const wrong = Array.from({ length: 30 }, (_, n) => call(n, "get_order", { order_id: `order ${n}` }))
      const answers = answersOf(
        yield* send(
          key,
          [
            ...wrong,
            call("a", "create_proxy_order", { quantity: 51, payment_method: "wallet" }),
            call("b", "get_transaction", { transaction_id: 1 }),
            call("c", "steal", {}),
            call("d", "list_my_orders", null),
            call("e", "list_my_orders", { status: null, limit: null, offset: null, response_format: null })
          ].join("\n")
        )
      )
      assert.strictEqual(answers.size, 35)
      assert.match(answers.get("e").value, /^id,/)
      assert.deepStrictEqual(failureOf(answers.get(29)).detail[0].loc, ["arguments", "order_id"])
      const { code, detail, status } = failureOf(answers.get("a"))
      assert.deepStrictEqual([status, code], [422, "VALIDATION_ERROR"])
      assert.deepStrictEqual(detail.map(({ loc, type }: any) => [loc.join("."), type]).toSorted(), [
        ["arguments.idempotency_key", "missing"],
        ["arguments.offer_id", "missing"],
        ["arguments.quantity", "value_error"]
      ])
      assert.deepInclude(failureOf(answers.get("b")), { status: 403, code: "INSUFFICIENT_SCOPE" })
      assert.deepInclude(failureOf(answers.get("c")), { status: 404, code: "NOT_FOUND" })
      assert.match(answers.get("d").value, /^id,/)
    })
  )

  it.effect("may come from a page of any origin, also from Effect's own client", () =>
    Effect.gen(function* () {
      const { key } = yield* Testing.agent()
      const origin = "https://agent.example"
      const asked = yield* request("OPTIONS", "/rpc", { headers: { origin } })
      assert.strictEqual(asked.status, 204)
      assert.strictEqual(asked.headers["access-control-allow-methods"], "POST")
      const allowed = (asked.headers["access-control-allow-headers"] ?? "").toLowerCase().split(", ")
      assert.includeMembers(allowed, ["authorization", "b3", "content-type", "traceparent", "x-api-key"])
      const answers = yield* Effect.all([
        request("POST", "/rpc", { key, body: call(1, "list_flags", {}), headers: { origin } }),
        request("POST", "/rpc", { key, body: "{", headers: { origin } })
      ])
      for (const { headers } of answers) assert.strictEqual(headers["access-control-allow-origin"], "*")
      assert.deepStrictEqual(
        answers.map(({ status }) => status),
        [200, 400]
      )
    })
  )
})
