import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import * as http from "node:http"
import * as ToolSessionExpiry from "../../src/mcp/ToolSessionExpiry.ts"
import { ToolSessions } from "../../src/mcp/ToolSessions.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { initialize, message, newKey, open, send, session } from "./McpTesting.ts"

const list = message("tools/list")

const scopes = "catalog:read account:read orders:read wallet:read orders:write"
const metadata = `resource_metadata="http://localhost:8080/.well-known/oauth-protected-resource/mcp", scope="${scopes}"`

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** The answer to a browser that uses this host name. `fetch` cannot set it. */
const statusOf = (headers: Record<string, string>, path = "/mcp") =>
  HttpServer.addressFormattedWith((address) =>
    Effect.callback<number>((resume) => {
      const call = http.request(`${address.replace("0.0.0.0", "127.0.0.1")}${path}`, {
        method: "POST",
        headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers }
      })
      call.on("error", (error) => resume(Effect.die(error)))
      call.on("response", (response) => resume(Effect.succeed(response.resume().statusCode ?? 0)))
      call.end(JSON.stringify(initialize))
    })
  )

layer(TestApp.layer({ TRUST_PROXY: "1" }))("The tool endpoint", (it) => {
  it.effect("challenges a caller without a valid credential", () =>
    Effect.gen(function* () {
      const { account, credential } = yield* newKey()
      const answers = yield* Effect.all([
        send({}, initialize),
        send({}, undefined, {}, "GET"),
        send({ "x-api-key": "prk_unknown" }, initialize),
        send(bearer("nonsense"), initialize),
        send(bearer(account.token), initialize),
        send(bearer(credential["x-api-key"]), initialize)
      ])
      assert.deepStrictEqual(
        answers.map(({ body, headers, status }) => [status, body.code, headers["www-authenticate"]]),
        [
          [401, "UNAUTHORIZED", `Bearer ${metadata}`],
          [401, "UNAUTHORIZED", `Bearer ${metadata}`],
          [401, "UNAUTHORIZED", `Bearer ${metadata}`],
          [401, "UNAUTHORIZED", `Bearer error="invalid_token", ${metadata}`],
          [401, "UNAUTHORIZED", `Bearer error="invalid_token", ${metadata}`],
          [401, "UNAUTHORIZED", `Bearer error="invalid_token", ${metadata}`]
        ]
      )
    })
  )

  it.effect("takes a key from its allowed addresses only", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey({ allowed_ips: ["192.0.2.7"] })
      const from = (address: string) => send(credential, initialize, { "x-forwarded-for": address })
      assert.strictEqual((yield* from("192.0.2.7")).status, 200)
      const { body, status } = yield* from("192.0.2.8")
      assert.deepStrictEqual([status, body.code], [403, "FORBIDDEN"])
    })
  )

  it.effect("accepts pages of any origin, but not a page of a rebound name", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const asked = yield* request("OPTIONS", "/mcp", { headers: { origin: "https://agent.example" } })
      assert.strictEqual(asked.status, 204)
      const allowed = (asked.headers["access-control-allow-headers"] ?? "").split(", ")
      assert.includeMembers(allowed, ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "X-API-Key"])
      assert.match(asked.headers["access-control-allow-methods"] ?? "", /POST.*DELETE/)
      const page = { origin: "https://agent.example" }
      const answered = yield* send(credential, initialize, page)
      assert.strictEqual(answered.status, 200)
      for (const { headers } of [answered, yield* send({}, initialize, page)]) {
        assert.strictEqual(headers["access-control-allow-origin"], "*")
        assert.strictEqual(headers["access-control-expose-headers"], "*")
      }
      const led = (host: string) => statusOf({ ...credential, host, origin: `http://${host.toLowerCase()}` })
      assert.deepStrictEqual(
        [
          yield* led("evil.example"),
          yield* led("Evil.Example"),
          yield* led("LOCALHOST:8080"),
          yield* led("127.0.0.1:1")
        ],
        [403, 403, 200, 200]
      )
      assert.strictEqual(yield* statusOf({ host: "evil.example:80", origin: "http://evil.example" }), 403)
      assert.strictEqual(yield* statusOf({ host: "evil.example", origin: "http://evil.example" }, "/rpc"), 403)
    })
  )

  it.effect("answers an unknown method with the allowed ones", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      for (const method of ["GET", "HEAD", "PUT", "PATCH"] as const) {
        const { headers, status } = yield* send(credential, undefined, {}, method)
        assert.deepStrictEqual([status, headers["allow"]], [405, "POST, DELETE, OPTIONS"], method)
      }
      const asked = yield* send({}, undefined, { origin: "https://agent.example" }, "OPTIONS")
      assert.deepStrictEqual([asked.status, asked.headers["allow"]], [204, "POST, DELETE, OPTIONS"])
    })
  )

  it.effect("explains each refusal of the transport", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const header = yield* open(credential)
      const answers = yield* Effect.all([
        send(credential, undefined, {}, "GET"),
        send(credential, list, { ...header, accept: "application/json" }),
        send(credential, initialize, { accept: "application/json" }),
        send(credential, "hello", { ...header, "content-type": "text/plain" }),
        send(credential, list),
        send(credential, list, { "mcp-session-id": "unknown" }),
        send(credential, list, { ...header, "mcp-protocol-version": "1999-01-01" }),
        send(
          credential,
          Array.from({ length: 51 }, () => list),
          header
        ),
        send(credential, "{", header)
      ])
      assert.deepStrictEqual(
        answers.map(({ body, status }) => [status, body.code ?? body.error.code]),
        [
          [405, "BAD_REQUEST"],
          [406, "BAD_REQUEST"],
          [406, "BAD_REQUEST"],
          [415, "VALIDATION_ERROR"],
          [400, -32600],
          [404, "NOT_FOUND"],
          [400, -32022],
          [400, "BAD_REQUEST"],
          [200, -32700]
        ]
      )
    })
  )

  it.effect("keeps a session to the credential that opened it, until that ends it", () =>
    Effect.gen(function* () {
      const { account, credential } = yield* newKey()
      const header = yield* open(credential)
      const another = yield* request("POST", "/v1/api-keys", { user: account.token, body: { name: "second" } })
      for (const stranger of [(yield* newKey()).credential, { "x-api-key": another.body.key as string }]) {
        assert.strictEqual((yield* send(stranger, list, header)).status, 404)
        assert.strictEqual((yield* send(stranger, undefined, header, "DELETE")).status, 404)
      }
      assert.strictEqual((yield* send(credential, list, header)).status, 200)
      assert.strictEqual((yield* send(credential, undefined, header, "DELETE")).status, 204)
      assert.strictEqual((yield* send(credential, list, header)).status, 404)
    })
  )

  it.effect("ends a session that is idle for half an hour, and the oldest beyond 50 of an account", () =>
    Effect.gen(function* () {
      const { credential } = yield* newKey()
      const idle = yield* open(credential)
      const used = yield* open(credential)
      yield* TestClock.adjust("29 minutes")
      assert.strictEqual((yield* send(credential, list, used)).status, 200)
      yield* TestClock.adjust("2 minutes")
      yield* ToolSessionExpiry.run
      assert.strictEqual((yield* send(credential, list, idle)).status, 404)
      assert.strictEqual((yield* send(credential, list, used)).status, 200)

      const others = yield* Effect.forEach(Array.from({ length: 50 }), () => open(credential))
      assert.strictEqual((yield* send(credential, list, used)).status, 404)
      assert.strictEqual((yield* send(credential, list, others[0])).status, 200)
      assert.strictEqual(yield* ToolSessions.use(({ count }) => count), 50)
    })
  )

  it.effect("shows each caller the tools of its scopes, in schemas without references", () =>
    Effect.gen(function* () {
      const all = yield* newKey()
      const { ask } = yield* session(all.credential)
      const { result } = yield* ask("tools/list")
      assert.isAbove(result.tools.length, 16)
      assert.notInclude(JSON.stringify(result.tools), "$ref")
      for (const { annotations, description, inputSchema } of result.tools) {
        assert.isNotEmpty(description)
        assert.isNotEmpty(annotations.title)
        assert.strictEqual(inputSchema.type, "object")
      }

      const reader = yield* newKey({ scopes: ["catalog:read", "wallet:read"] })
      const { ask: askLess, call } = yield* session(reader.credential)
      const fewer = yield* askLess("tools/list")
      assert.deepStrictEqual(
        fewer.result.tools.map(({ name }: any) => name),
        ["list_offers", "list_my_wallets", "get_wallet_balance", "list_wallet_transactions", "get_transaction"]
      )
      const refused = yield* call("create_proxy_order")
      assert.isTrue(refused.isError)
      assert.deepInclude(refused.answer, {
        status: 403,
        code: "INSUFFICIENT_SCOPE",
        details: { required_scope: "orders:write" }
      })
      assert.match(refused.answer.detail, /orders:write/)
    })
  )

  it.effect("names an invalid argument and an unknown tool", () =>
    Effect.gen(function* () {
      const { call } = yield* session((yield* newKey()).credential)
      const wrong = yield* call("create_proxy_order", { offer_id: 1, quantity: 51, payment_method: "cash" })
      assert.strictEqual(wrong.error.code, -32602)
      for (const name of ["quantity", "payment_method", "idempotency_key"]) assert.include(wrong.error.message, name)
      assert.strictEqual((yield* call("steal")).error.code, -32602)
      const nulls = { kind: null, country: null, city: null, response_format: null }
      assert.match((yield* call("list_offers", nulls)).answer, /^kind,id,/)
    })
  )

  it.effect("lists the values of fields", () =>
    Effect.gen(function* () {
      const { ask } = yield* session((yield* newKey({ scopes: ["account:read"] })).credential)
      const { result } = yield* ask("resources/list")
      const read = Effect.fnUntraced(function* ({ uri }: { uri: string }) {
        const { result } = yield* ask("resources/read", { uri })
        const [{ mimeType, text }] = result.contents
        assert.strictEqual(mimeType, "application/json")
        return [uri, JSON.parse(text)] as const
      })
      const values = Object.fromEntries(yield* Effect.forEach(result.resources as Array<{ uri: string }>, read))
      assert.deepInclude(values, {
        "ref://currencies": ["USD", "STAR"],
        "ref://proxy-types": ["HTTP", "SOCKS5"],
        "ref://offer-kinds": ["datacenter", "residential", "mobile"],
        "ref://payment-methods": ["wallet", "crypto_gateway", "card_gateway", "messenger_stars"]
      })
      assert.include(values["ref://order-statuses"], "provisioned")
    })
  )

  it.effect("is described for language models", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* request("GET", "/llms.txt")
      assert.match(headers["content-type"] ?? "", /^text\/markdown/)
      for (const part of [
        "http://localhost:8080/mcp",
        "[Guides](http://localhost:8080/docs/guides)",
        "create_proxy_order (orders:write)",
        "ref://currencies"
      ])
        assert.include(body, part)
    })
  )
})
