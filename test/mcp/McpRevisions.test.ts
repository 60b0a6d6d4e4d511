import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestApp from "../support/TestApp.ts"
import { type Credential, initialize, initializeBy, message, newKey, open, send, stateless } from "./McpTesting.ts"

const ask = (credential: Credential, ...[method, params]: Parameters<typeof stateless>) => {
  const { body, headers } = stateless(method, params)
  return send(credential, body, headers)
}

const wallet = { name: "get_wallet_balance", arguments: { currency: "USD" } }

layer(TestApp.layer())("The revisions of the protocol", (it) => {
  it.effect("get the requested revision, else the newest with sessions, and only real capabilities", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const asked = ["2025-03-26", "2025-06-18", "2025-11-25", "2024-11-05", "1999-01-01"]
      const answers = yield* Effect.forEach(asked, (revision) => send(credential, initializeBy(revision)))
      assert.deepStrictEqual(
        answers.map(({ body }) => body.result.protocolVersion),
        [...asked.slice(0, 3), "2025-11-25", "2025-11-25"]
      )
      const discovered = yield* ask(credential, "server/discover")
      assert.sameMembers(discovered.body.result.supportedVersions, [...asked.slice(0, 3), "2026-07-28"])
      for (const { body } of [...answers, discovered]) {
        assert.deepStrictEqual(body.result.capabilities, { tools: {}, resources: {} })
        assert.match(body.result.instructions, /list_offers.*confirm=true/s)
      }
    })
  )

  it.effect("2026-07-28 needs no session, also beside one, and has no subscriptions", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey({ scopes: ["wallet:read"] })
      const { body, headers } = yield* ask(credential, "tools/list")
      assert.notProperty(headers, "mcp-session-id")
      assert.lengthOf(body.result.tools, 4)
      const called = yield* ask(credential, "tools/call", wallet)
      assert.strictEqual(called.body.result.structuredContent.balance, 0)
      const header = { ...stateless("server/discover").headers, ...(yield* open(credential)) }
      const discovered = yield* send(credential, stateless("server/discover").body, header)
      assert.deepStrictEqual(discovered.body.result.capabilities, { tools: {}, resources: {} })
      const listened = [{ notifications: { toolsListChanged: true } }, { notifications: 7 }, {}].map((params) =>
        ask(credential, "subscriptions/listen", params)
      )
      for (const [index, { body, headers }] of (yield* Effect.all(listened)).entries()) {
        assert.strictEqual(headers["content-type"], "text/event-stream")
        assert.include(body, `"code":${[-32601, -32602, -32602][index]}`)
      }
      assert.strictEqual((yield* ask({}, "tools/call", wallet)).status, 401)
    })
  )

  it.effect("have structured content beside the text since 2025-06-18, not before", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      for (const revision of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
        const header = yield* open(credential, revision)
        const { tools } = (yield* send(credential, message("tools/list"), header)).body.result
        const results = yield* Effect.forEach([wallet, { name: "list_my_wallets" }, { name: "get_order" }], (call) =>
          Effect.map(send(credential, message("tools/call", call), header), ({ body }) => body.result ?? body.error)
        )
        const [{ content, structuredContent }, table, refused] = results
        assert.notInclude(JSON.stringify(tools), "$ref")
        if (revision === "2025-03-26") {
          for (const tool of tools) assert.hasAllKeys(tool, ["name", "description", "inputSchema", "annotations"])
          for (const result of [results[0], table]) assert.hasAllKeys(result, ["content", "isError"])
        } else {
          for (const { outputSchema } of tools) assert.strictEqual(outputSchema.type, "object")
          assert.deepStrictEqual(structuredContent, JSON.parse(content[0].text))
          assert.deepStrictEqual(table.structuredContent, { csv: table.content[0].text })
        }
        if (revision === "2025-11-25") {
          assert.hasAllKeys(refused, ["content", "isError"])
          assert.deepInclude(JSON.parse(refused.content[0].text), { status: 422, code: "VALIDATION_ERROR" })
        } else assert.strictEqual(refused.code, -32602)
      }
    })
  )

  it.effect("answer errors with exactly the fields of JSON-RPC", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const header = yield* open(credential)
      const answers = yield* Effect.all([
        send(credential, "{", header),
        send(credential, message("ping")),
        send(credential, initialize, header),
        send(credential, message("nothing"), header),
        send(credential, message("tools/call", { name: "steal" }), header),
        send(credential, message("tools/call", { name: 7 }), header),
        send(credential, message("resources/read", { uri: "ref://nothing" }), header),
        ask(credential, "nothing"),
        ask(credential, "initialize", { ...initialize.params }),
        ask(credential, "tools/call", { name: "steal" }),
        send(credential, "{", stateless("ping").headers)
      ])
      assert.deepStrictEqual(
        answers.map(({ body: { error }, status }) => [status, error.code]),
        [
          [200, -32700],
          [400, -32600],
          [400, -32600],
          [200, -32601],
          [200, -32602],
          [200, -32602],
          [200, -32002],
          [404, -32601],
          [404, -32601],
          [200, -32602],
          [200, -32700]
        ]
      )
      for (const { body } of answers) {
        assert.hasAllKeys(body, ["jsonrpc", "id", "error"])
        assert.containsAllKeys({ data: null, ...body.error }, ["code", "message", "data"])
        assert.lengthOf(Object.keys({ data: null, ...body.error }), 3)
      }
    })
  )
})
