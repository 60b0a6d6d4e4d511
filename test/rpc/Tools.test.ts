import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Schema } from "effect"
import type { Rpc } from "effect/rpc"
import type { Caller } from "../../src/accounts/Caller.ts"
import { UserId } from "../../src/accounts/User.ts"
import { Description, Hints, Title } from "../../src/rpc/ToolAnnotations.ts"
import { admit, isVisible, requiredScope } from "../../src/rpc/ToolCaller.ts"
import { all, documented, further } from "../../src/rpc/Tools.ts"

const toolsOf = (group: { readonly requests: ReadonlyMap<string, Rpc.Any> }) =>
  [...group.requests.values()] as unknown as ReadonlyArray<Rpc.AnyWithProps>

/** The arguments as the Model Context Protocol shows them. */
const argumentsOf = ({ payloadSchema }: Rpc.AnyWithProps): any =>
  Schema.toJsonSchemaDocument(payloadSchema, { onExcessProperty: "ignore" })

const words = (tool: Rpc.AnyWithProps) => {
  const { properties = {}, required = [] } = argumentsOf(tool).schema
  return Object.keys(properties).map((name) => {
    const { default: value } = properties[name]
    if (value !== undefined) return `${name}=${value}`
    return required.includes(name) ? name : `${name}?`
  })
}

/** The documented tools with their arguments (docs/contract.md, "Tool server"). */
const table = {
  list_offers: "kind?, country?, region?, city?, response_format=csv",
  list_my_orders: "status?, limit=50, offset=0, response_format=csv",
  get_order: "order_id",
  get_my_traffic_summary: "response_format=csv",
  get_order_traffic: "order_id",
  create_proxy_order:
    "offer_id, quantity, idempotency_key, period_days=30, payment_method, payment_currency?, promo_code?, auto_renew=false, tarification_index?, confirm=false",
  extend_proxy_period: "order_id, months, idempotency_key, confirm=false",
  buy_proxy_bandwidth: "order_id, bandwidth_gb, idempotency_key, confirm=false",
  set_auto_renew: "order_id, enabled",
  set_proxy_whitelist: "order_id, whitelisted_ips",
  change_proxy_protocol: "order_id, new_type",
  sync_proxy_state: "order_id",
  list_my_wallets: "response_format=csv",
  get_wallet_balance: "currency",
  list_wallet_transactions: "currency, limit=100, offset=0, response_format=csv",
  get_transaction: "transaction_id"
}

/** The scopes of the documented tools (docs/contract.md, "API keys and scopes"). */
const scopes = {
  "catalog:read": ["list_offers"],
  "account:read": [],
  "orders:read": ["list_my_orders", "get_order", "get_my_traffic_summary", "get_order_traffic"],
  "orders:write": [
    "create_proxy_order",
    "extend_proxy_period",
    "buy_proxy_bandwidth",
    "set_auto_renew",
    "set_proxy_whitelist",
    "change_proxy_protocol",
    "sync_proxy_state"
  ],
  "wallet:read": ["list_my_wallets", "get_wallet_balance", "list_wallet_transactions", "get_transaction"]
} as const

const user_id = UserId.make("0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11")

const refusal = (name: string, credential: Caller["Service"]["credential"]) =>
  Effect.flip(
    admit(
      { user_id, credential },
      name,
      toolsOf(all).find(({ _tag }) => _tag === name)!
    )
  )

const spending = ["create_proxy_order", "extend_proxy_period", "buy_proxy_bandwidth", "extend_mobile_proxy", "check_ip"]

describe("The tools", () => {
  it("take the documented arguments", () => {
    const declared = toolsOf(documented).map((tool) => [tool._tag, words(tool).join(", ")])
    assert.deepStrictEqual(declared, Object.entries(table))
  })

  it("are visible by the documented scopes", () => {
    for (const [scope, names] of Object.entries(scopes)) {
      const credential = {
        _tag: "oauth" as const,
        client_id: "",
        connection_id: "",
        grant_id: "",
        scopes: [scope as keyof typeof scopes],
        daily_spend_limit_usd: null
      }
      const visible = toolsOf(all).filter((tool) => isVisible({ user_id, credential }, tool))
      assert.deepStrictEqual(
        visible.map(({ _tag }) => _tag),
        [...names]
      )
    }
    assert.isTrue(toolsOf(further).every((tool) => requiredScope(tool) === "full-access"))
  })

  it.effect("say how to get a missing scope", () =>
    Effect.gen(function* () {
      const oauth = {
        _tag: "oauth" as const,
        client_id: "",
        connection_id: "",
        grant_id: "",
        scopes: [],
        daily_spend_limit_usd: null
      }
      const order = yield* refusal("create_proxy_order", oauth)
      assert.deepStrictEqual(
        [order.status, order.code, order.details],
        [403, "INSUFFICIENT_SCOPE", { required_scope: "orders:write" }]
      )
      assert.match(String(order.detail), /lacks the scope orders:write, which create_proxy_order needs: .*tick its box/)
      assert.match(String((yield* refusal("check_ip", oauth)).detail), /API key without a scope restriction/)
    })
  )

  it("show arguments and answers without references to other schemas", () => {
    for (const tool of toolsOf(all)) {
      const { definitions, schema } = argumentsOf(tool)
      assert.strictEqual(schema.type, "object", tool._tag)
      assert.deepStrictEqual(definitions, {}, tool._tag)
      assert.notInclude(JSON.stringify(schema), '"$ref"', tool._tag)
      const answer = Schema.toJsonSchemaDocument(tool.successSchema, { referencePolicy: () => undefined })
      assert.notInclude(JSON.stringify(answer), '"$ref"', tool._tag)
    }
  })

  it("describe themselves and each of their arguments", () => {
    for (const tool of toolsOf(all)) {
      assert.match(Context.get(tool.annotations, Title), /^[A-Z]/, tool._tag)
      const description = Context.get(tool.annotations, Description)
      const hints = Context.get(tool.annotations, Hints)
      assert.match(description, spending.includes(tool._tag) ? /Spends/ : /Free/, tool._tag)
      assert.strictEqual(hints.isReadonly && hints.isDestructive, false, tool._tag)
      const { properties = {} } = argumentsOf(tool).schema
      for (const [name, property] of Object.entries<any>(properties))
        assert.isString(property.description ?? property.allOf?.[0].description, `${tool._tag} ${name}`)
    }
  })

  it("name each 403 of a purchase", () => {
    for (const tool of toolsOf(all).filter(({ _tag }) => spending.includes(_tag))) {
      const reasons = ["daily_spend_limit_reached", "purchases_stopped"]
      if (["create_proxy_order", "check_ip"].includes(tool._tag)) reasons.push("email_not_verified")
      const description = Context.get(tool.annotations, Description)
      for (const reason of reasons) assert.include(description, `403 ${reason}: `, tool._tag)
    }
  })

  it("spend only with a key and a confirmation", () => {
    for (const tool of toolsOf(all)) {
      const isGuarded = ["idempotency_key", "confirm=false"].map((word) => words(tool).includes(word))
      assert.deepStrictEqual(isGuarded, Array(2).fill([...spending, "replace_proxy"].includes(tool._tag)), tool._tag)
    }
  })
})
