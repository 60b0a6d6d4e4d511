import { assert, layer } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { newAccount, password } from "../dashboard/PagesTesting.ts"
import { soon } from "../oauth/attacks/AttackTesting.ts"
import { issuer } from "../oauth/clients/ClientTesting.ts"
import { makeProvider } from "../oauth/clients/HostProvider.ts"
import * as Browser from "../support/Browser.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"

layer(TestApp.layerPublic, { excludeTestServices: true })("An agent that knows the tool endpoint only", (it) => {
  it.effect("gets its person's approval, calls tools, and loses access when the person ends it", () =>
    Effect.gen(function* () {
      const url = new URL(`${yield* issuer}/mcp`)
      const account = yield* newAccount
      const browser = yield* Browser.forServer(yield* issuer)
      const { kept, provider } = makeProvider()
      const client = new Client({ name: "agent", version: "1" })
      const newTransport = () => new StreamableHTTPClientTransport(url, { authProvider: provider as never })

      const first = newTransport()
      const refused = yield* Effect.exit(Effect.tryPromise(() => client.connect(first as never)))
      assert.match(String(refused), /Unauthorized/)
      assert.strictEqual(
        kept.url?.searchParams.get("scope"),
        "catalog:read account:read orders:read wallet:read orders:write"
      )
      yield* browser.open(String(kept.url))
      yield* browser.submit({ email: account.email, password })
      const back = yield* browser.submit({ decision: "approve", orders_write: "on" })
      yield* Effect.promise(() => first.finishAuth(new URL(back.url).searchParams.get("code") ?? ""))

      const transport = newTransport()
      yield* Effect.promise(() => client.connect(transport as never))
      const { tools } = yield* Effect.promise(() => client.listTools())
      assert.lengthOf(tools, 16)
      const call = (name: string, given: Record<string, unknown>) =>
        Effect.map(
          Effect.promise(() => client.callTool({ name, arguments: given }) as Promise<any>),
          ({ content, isError }) => ({ isError: isError === true, answer: JSON.parse(content[0].text) })
        )
      assert.strictEqual((yield* call("get_wallet_balance", { currency: "USD" })).answer.balance, 0)
      const order_id = "01999999-0000-7000-8000-000000000000"
      const renew = call("set_auto_renew", { order_id, enabled: true })
      assert.strictEqual((yield* renew).answer.code, "NOT_FOUND")
      const beyond = yield* call("list_webhooks", {})
      assert.deepStrictEqual(beyond.answer.details, { required_scope: "full-access" })

      // The person approves the same app again, without ticking the box.
      yield* browser.open(String(kept.url))
      yield* browser.submit({ decision: "approve" })
      const withdrawn = yield* soon(renew, ({ answer }) => answer.code === "INSUFFICIENT_SCOPE")
      assert.deepInclude(withdrawn, { isError: true })
      assert.deepStrictEqual(withdrawn.answer.details, { required_scope: "orders:write" })
      assert.match(withdrawn.answer.detail, /orders:write/)
      assert.lengthOf((yield* Effect.promise(() => client.listTools())).tools, 9)

      const { body } = yield* request("GET", "/v1/users/me/connections", { user: account.token })
      for (const { id } of body.connections)
        yield* request("DELETE", `/v1/users/me/connections/${id}`, { user: account.token })
      const ended = yield* soon(
        Effect.exit(Effect.tryPromise(() => client.listTools())),
        ({ _tag }) => _tag === "Failure"
      )
      assert.match(String(ended), /InvalidGrant/)
    })
  )
})
