import { createMCPClient } from "@ai-sdk/mcp"
import { assert, layer } from "@effect/vitest"
import * as second from "@modelcontextprotocol/client"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect } from "effect"
import { UserId } from "../../src/accounts/User.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { issuer } from "../oauth/clients/ClientTesting.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { datacenter, residential } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestApp from "../support/TestApp.ts"
import { type Credential, newKey } from "./McpTesting.ts"

const synced = MemoryProvider.use(({ setOffers }) => Effect.sync(() => setOffers([datacenter, residential]))).pipe(
  Effect.andThen(CatalogSync.run),
  Effect.provide(CatalogWriter.layer)
)

const clientInfo = { name: "test", version: "1" }

/** The parts that the libraries have in common. */
interface Connected {
  readonly client: Pick<second.Client, "callTool" | "close" | "listResources" | "listTools" | "readResource">
  readonly revision: () => string | undefined
  readonly end: () => Promise<void>
}

const newerClient =
  (options?: second.ClientOptions) =>
  async (url: URL, headers: Credential): Promise<Connected> => {
    const client = new second.Client(clientInfo, options)
    const transport = new second.StreamableHTTPClientTransport(url, { requestInit: { headers } })
    await client.connect(transport)
    return {
      client,
      revision: () => client.getNegotiatedProtocolVersion(),
      end: () => transport.terminateSession()
    }
  }

/** The two generations of the official client, the newer one in both of its modes, and another, with a credential. */
const libraries: Record<string, (url: URL, headers: Credential) => Promise<Connected>> = {
  "@modelcontextprotocol/sdk": async (url, headers) => {
    const client = new Client(clientInfo)
    const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
    // The library's types do not support `exactOptionalPropertyTypes`.
    await client.connect(transport as never)
    return {
      client: client as never,
      revision: () => transport.protocolVersion,
      end: () => transport.terminateSession()
    }
  },
  "@modelcontextprotocol/client": newerClient(),
  "@modelcontextprotocol/client, automatic": newerClient({ versionNegotiation: { mode: "auto" } }),
  "@ai-sdk/mcp": async (url, headers) => {
    const client = await createMCPClient({ transport: { type: "http", url: url.href, headers: { ...headers } } })
    return { client: client as never, revision: () => client.initializeResult.protocolVersion, end: async () => {} }
  }
}

/** A client of an account with 100 dollars. */
const connect = Effect.fnUntraced(function* (library: string, settings: object = {}) {
  const { account, credential } = yield* newKey(settings)
  yield* Fixtures.fund(UserId.make(account.id), 100_000_000n)
  const url = new URL(`${yield* issuer}/mcp`)
  const { client, end, revision } = yield* Effect.acquireRelease(
    Effect.promise(async () => libraries[library]!(url, credential)),
    ({ client }) => Effect.promise(() => client.close())
  )
  const callTool = (name: string, given: object) =>
    Effect.promise(() => client.callTool({ name, arguments: { ...given } }) as Promise<any>)
  const call = Effect.fnUntraced(function* (name: string, given: object = {}) {
    const { content, isError, structuredContent } = yield* callTool(name, given)
    const text: string = content[0].text
    assert.isNotTrue(isError, `${name}: ${text}`)
    assert.deepStrictEqual(structuredContent, text.startsWith("{") ? JSON.parse(text) : { csv: text })
    return text
  })
  return {
    client,
    end,
    revision,
    call,
    json: (name: string, given: object = {}) => Effect.map(call(name, given), (text): any => JSON.parse(text)),
    /** A refusal by the tool. */
    fails: Effect.fnUntraced(function* (name: string, given: object = {}) {
      const { content, isError } = yield* callTool(name, given)
      assert.isTrue(isError, `${name} did not fail`)
      const { code, details, status } = JSON.parse(content[0].text)
      return { status, code, details }
    })
  }
})

const json = { response_format: "json" }

layer(TestApp.layerPublic, { excludeTestServices: true })("The clients of the tool server", (it) => {
  it.effect("a person's agent uses every documented tool", () =>
    Effect.gen(function* () {
      yield* synced
      const { call, client, end, fails, json: ask } = yield* connect("@modelcontextprotocol/sdk")
      const { tools } = yield* Effect.promise(() => client.listTools())
      const called = new Set<string>()
      const track =
        <A, B>(use: (name: string, given?: object) => Effect.Effect<A, B>) =>
        (name: string, given?: object) => {
          called.add(name)
          return use(name, given)
        }
      const [text, get] = [track(call), track(ask)]

      assert.match(
        yield* text("list_offers", { kind: "residential" }),
        /^kind,id,name,country_code,mode,ip_version,is_available,currency,locations,options\r?\nresidential,/
      )
      const { offers } = yield* get("list_offers", { kind: "residential", ...json })
      const purchase = {
        offer_id: offers[0].id,
        quantity: 2,
        period_days: 30,
        payment_method: "wallet",
        idempotency_key: "first"
      }
      const preview = yield* get("create_proxy_order", purchase)
      assert.deepInclude(preview, { dry_run: true, total: 7, currency: "USD" })
      assert.strictEqual(preview.offer.id, offers[0].id)
      assert.strictEqual(preview.wallets[0].balance, 100)
      const bought = yield* get("create_proxy_order", { ...purchase, confirm: true })
      assert.deepInclude(bought, { dry_run: false, replayed: false })
      assert.deepStrictEqual(
        bought.orders.map(({ status }: any) => status),
        ["provisioned", "provisioned"]
      )
      const again = yield* get("create_proxy_order", { ...purchase, confirm: true })
      assert.deepStrictEqual(again, { ...bought, replayed: true })
      const order_id = bought.orders[0].id as string

      assert.strictEqual((yield* get("list_my_orders", json)).total, 2)
      assert.strictEqual((yield* get("get_order", { order_id })).id, order_id)
      assert.match(yield* text("get_my_traffic_summary"), /\n/)
      assert.property(yield* get("get_order_traffic", { order_id }), "summary")

      const extension = { order_id, months: 1, idempotency_key: "extend" }
      assert.deepInclude(yield* get("extend_proxy_period", extension), { dry_run: true, total: 3.5 })
      yield* get("extend_proxy_period", { ...extension, confirm: true })
      const traffic = { order_id, bandwidth_gb: 10, idempotency_key: "traffic" }
      assert.deepInclude(yield* get("buy_proxy_bandwidth", traffic), { dry_run: true, total: 6 })
      yield* get("buy_proxy_bandwidth", { ...traffic, confirm: true })

      yield* get("set_auto_renew", { order_id, enabled: true })
      const whitelisted_ips = ["192.0.2.1"]
      assert.deepInclude(yield* get("set_proxy_whitelist", { order_id, whitelisted_ips }), { whitelisted_ips })
      yield* get("change_proxy_protocol", { order_id, new_type: "SOCKS5" })
      yield* get("sync_proxy_state", { order_id })

      assert.lengthOf((yield* text("list_my_wallets")).trim().split("\n"), 3)
      assert.strictEqual((yield* get("get_wallet_balance", { currency: "USD" })).balance, 100 - 7 - 3.5 - 6)
      const { transactions } = yield* get("list_wallet_transactions", { currency: "USD", ...json })
      assert.lengthOf(transactions, 5)
      assert.strictEqual((yield* get("get_transaction", { transaction_id: transactions[0].id })).id, transactions[0].id)

      const documented = tools.map(({ name }) => name).slice(0, 16)
      assert.deepStrictEqual(documented.toSorted(), [...called].toSorted())

      // The client holds each answer against the tool's output schema.
      const ip = "8.8.8.8"
      const quote = yield* ask("quote_proxy_order", { offer_id: offers[0].id, payment_method: "wallet" })
      assert.strictEqual(quote.total, 3.5)
      const check = yield* ask("check_ip", { ip, idempotency_key: "check", confirm: true })
      assert.strictEqual((yield* ask("get_ip_check", { check_id: check.id })).id, check.id)
      assert.strictEqual((yield* ask("survey_ip", { ip })).ip, ip)
      for (const name of ["count_my_orders", "get_my_account", "list_flags", "get_ip_check_quota", "list_ip_checks"])
        yield* ask(name)
      for (const name of ["list_mobile_signatures", "list_webhooks"]) yield* ask(name)

      const nobodys = "01999999-0000-7000-8000-000000000000"
      assert.deepInclude(yield* fails("get_order", { order_id: nobodys }), { status: 404, code: "NOT_FOUND" })
      const dear = { ...purchase, quantity: 50, idempotency_key: "dear", confirm: true }
      const { details, ...refused } = yield* fails("create_proxy_order", dear)
      assert.deepStrictEqual(refused, { status: 409, code: "CONFLICT" })
      assert.strictEqual(details.reason, "insufficient_balance")
      const reused = yield* fails("create_proxy_order", { ...purchase, quantity: 1, confirm: true })
      assert.strictEqual(reused.details.reason, "idempotency_key_reused")
      const malformed = yield* fails("get_order", { order_id: "one" })
      assert.deepStrictEqual(malformed, { status: 422, code: "VALIDATION_ERROR", details: undefined })

      const { resources } = yield* Effect.promise(() => client.listResources())
      assert.lengthOf(resources, 5)
      yield* Effect.promise(end)
    })
  )

  for (const [library, revision] of Object.entries({
    "@modelcontextprotocol/client": "2025-11-25",
    "@modelcontextprotocol/client, automatic": "2026-07-28",
    "@ai-sdk/mcp": "2026-07-28"
  }))
    it.effect(`${library} lists, calls and reads by revision ${revision}`, () =>
      Effect.gen(function* () {
        const agent = yield* connect(library, { scopes: ["catalog:read", "wallet:read"] })
        assert.strictEqual(agent.revision(), revision)
        const { tools } = yield* Effect.promise(() => agent.client.listTools())
        assert.lengthOf(tools, 5)
        assert.strictEqual((yield* agent.json("get_wallet_balance", { currency: "USD" })).balance, 100)
        assert.match(yield* agent.call("list_my_wallets"), /^wallet_id,currency/)
        assert.deepStrictEqual(yield* agent.fails("list_my_orders"), {
          status: 403,
          code: "INSUFFICIENT_SCOPE",
          details: { required_scope: "orders:read" }
        })
        const { contents } = yield* Effect.promise(() => agent.client.readResource({ uri: "ref://currencies" }))
        assert.deepStrictEqual(contents, [
          { uri: "ref://currencies", mimeType: "application/json", text: '["USD","STAR"]' }
        ])
        yield* Effect.promise(agent.end)
      })
    )
})
