import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpMethod } from "effect/http"
import { Scope } from "../../src/accounts/Scope.ts"
import { CatalogSyncRepo } from "../../src/catalog/CatalogSyncRepo.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { MemoryPaymentGateways } from "../support/MemoryPaymentGateways.ts"
import { residential } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import { fund } from "../support/Fixtures.ts"
import * as TestApp from "../support/TestApp.ts"
import { request } from "../support/TestServer.ts"
import { fieldsOf, newKey, newPerson } from "./ContractTesting.ts"

const under = (at: string, fields: ReadonlyArray<string>) => fields.map((field) => `${at}.${field}`)

const user = ["created_at", "email", "email_verified", "id", "is_anonymous", "name", "referral_code", "updated_at"]
const wallet = ["balance", "currency", "updated_at", "wallet_id"]
const transaction = [
  "amount",
  "created_at",
  "currency",
  "description",
  "external_id",
  "id",
  "payment_method",
  "status",
  "transaction_type",
  "updated_at",
  "user_id",
  "wallet_id"
]
const deposit = [
  "amount",
  "created_at",
  "currency",
  "id",
  "payment_intent_id",
  "payment_method",
  "payment_url",
  "status"
]
const apiKey = [
  "allowed_ips",
  "created_at",
  "daily_spend_limit_usd",
  "expires_at",
  "id",
  "last_used_at",
  "name",
  "prefix",
  "scopes"
]
const offer = [
  "country_code",
  "currency",
  "description",
  "id",
  "ip_version",
  "is_available",
  "kind",
  "locations[].city",
  "locations[].region",
  "mode",
  "name",
  "options[].bandwidth_gb",
  "options[].period_days",
  "options[].period_months",
  "options[].period_name",
  "options[].price",
  "options[].tarification_index",
  "price_from_usd",
  "price_per_gb",
  "protocols"
]
const flags = ["ip_reputation.check.enabled", "isp.city.enable", "orders.mobile.extend.too_early_guard"]

const money = { amount: 5, currency: "USD", payment_method: "card_gateway" }
const page = ["limit", "offset"]

/** Who gets an answer: anyone, a signed-in person, or also an API key with this scope; and all the fields it has. */
const answers: ReadonlyArray<
  readonly [
    method: HttpMethod.HttpMethod,
    path: string,
    who: Scope | "anyone" | "session",
    status: number,
    fields: ReadonlyArray<string>,
    body?: object
  ]
> = [
  ["GET", "/catalog", "anyone", 200, ["kinds[].kind", ...under("kinds[].offers[]", offer), "total"]],
  ["GET", "/users/me", "account:read", 200, user],
  ["GET", "/wallet", "wallet:read", 200, ["total", ...under("wallets[]", wallet)]],
  ["GET", "/wallet/balance", "wallet:read", 200, wallet],
  ["GET", "/wallet/transactions", "wallet:read", 200, ["total", ...under("transactions[]", transaction)]],
  ["GET", "/wallet/transactions/:id", "wallet:read", 200, transaction],
  ["POST", "/payments/deposits", "session", 201, deposit, money],
  ["GET", "/payments/deposits", "session", 200, [...under("deposits[]", deposit), ...page, "total"]],
  ["GET", "/payments/deposits/:id", "session", 200, deposit],
  ["GET", "/flags", "account:read", 200, under("flags", flags)],
  ["POST", "/api-keys", "session", 201, [...apiKey, "key"], { name: "key" }],
  ["GET", "/api-keys", "session", 200, [...under("api_keys[]", apiKey), ...page, "total"]]
]

const text = (length: number) => "x".repeat(length)
const numbers = (maximum: number) =>
  [
    ["1", String(maximum)],
    ["0", String(maximum + 1), "-1", "x", "", "1.5", "1e1", "1&limit=2"]
  ] as const
const offsets = [
  ["0", "1000000000"],
  ["-1", "1000000001", "x", "", "1.5"]
] as const
const place = [
  ["x", text(100)],
  ["", text(101), "a%00b"]
] as const

/** What a query parameter may be, to its limits, and what it may not. */
const parameters: ReadonlyArray<
  readonly [path: string, name: string, taken: ReadonlyArray<string>, refused: ReadonlyArray<string>]
> = [
  ["/catalog", "region", ...place],
  ["/catalog", "city", ...place],
  ["/wallet/balance", "currency", ["USD", "STAR"], ["EUR", "usd", ""]],
  ["/wallet/transactions", "currency", ["USD", "STAR"], ["EUR", "usd", ""]],
  ["/wallet/transactions", "limit", ...numbers(1000)],
  ["/wallet/transactions", "offset", ...offsets],
  ["/payments/deposits", "limit", ...numbers(100)],
  ["/payments/deposits", "offset", ...offsets],
  ["/api-keys", "limit", ...numbers(100)],
  ["/api-keys", "offset", ...offsets]
]

const some = <A>(length: number, make: (index: number) => A) => Array.from({ length }, (_, index) => make(index))
const addresses = (length: number) => some(length, (index) => `192.0.2.${index}`)
const scopes = (length: number) => some(length, () => "orders:read")

/** The same for a field of a body. `undefined` leaves it out. */
const bodies: ReadonlyArray<
  readonly [path: string, rest: object, field: string, taken: ReadonlyArray<unknown>, refused: ReadonlyArray<unknown>]
> = [
  ["/api-keys", {}, "name", ["x", text(100)], ["", text(101), 7, null, undefined]],
  [
    "/api-keys",
    { name: "key" },
    "scopes",
    [scopes(1), Scope.literals, scopes(20), null],
    [[], scopes(21), [7], "orders:read"]
  ],
  ["/api-keys", { name: "key" }, "expires_at", ["2100-01-01T00:00:00Z", null], ["2020-01-01T00:00:00Z", "", 7]],
  [
    "/api-keys",
    { name: "key" },
    "allowed_ips",
    [addresses(1), addresses(100), null],
    [[], addresses(101), [7], "192.0.2.1"]
  ],
  [
    "/api-keys",
    { name: "key" },
    "daily_spend_limit_usd",
    [0.000_001, 1_000_000, null],
    [0, 1_000_000.000_001, "x", [5]]
  ],
  ["/payments/deposits", money, "currency", ["USD"], ["EUR", "usd", 7, null, undefined]],
  [
    "/payments/deposits",
    money,
    "payment_method",
    ["card_gateway", "crypto_gateway"],
    ["wallet", "paypal", 7, null, undefined]
  ]
]

/** Somebody with a deposit that was paid, and the ids in the paths above. */
const owner = Effect.gen(function* () {
  const { id, session } = yield* newPerson
  yield* fund(id, 5_000_000n)
  yield* request("POST", "/v1/payments/deposits", { user: session, body: money })
  const { body } = yield* request("GET", "/v1/payments/deposits", { user: session })
  yield* newKey(session)
  return { session, path: (path: string) => `/v1${path.replace(":id", body.deposits[0].id)}` }
})

const catalog = Effect.gen(function* () {
  ;(yield* MemoryProvider).setOffers([residential])
  yield* Effect.provide(CatalogSync.run, CatalogSyncRepo.layer)
})

const faultsOf = ({ body, status }: { status: number; body: any }) => [
  status,
  [...new Set(body.detail.map(({ loc }: any) => loc.slice(0, 2).join(".")))]
]

layer(TestApp.layer(), { excludeTestServices: true, timeout: "60 seconds" })("The operations of an account", (it) => {
  it.effect("answer exactly these fields, to whichever credential may ask", () =>
    Effect.gen(function* () {
      yield* catalog
      const { path, session } = yield* owner
      const key = yield* newKey(session)
      const unscoped = yield* newKey(session, ["orders:write"])
      for (const [method, template, who, status, fields, body] of answers) {
        const scoped = who === "anyone" || who === "session" ? [] : [{ key }, { key: yield* newKey(session, [who]) }]
        const anyone = who === "anyone" ? [{}, { key: unscoped }, { key: "prk_unknown" }, { user: "nonsense" }] : []
        for (const credentials of [{ user: session }, ...scoped, ...anyone]) {
          const answer = yield* request(method, path(template), { ...credentials, ...(body && { body }) })
          const asked = `${method} ${template} ${Object.keys(credentials).join()}`
          assert.deepStrictEqual([asked, answer.status, fieldsOf(answer.body)], [asked, status, fields.toSorted()])
        }
      }
    })
  )

  it.effect("take a query parameter to its limits, and name it when it is beyond them", () =>
    Effect.gen(function* () {
      const { session } = yield* owner
      for (const [path, name, taken, refused] of parameters) {
        const ask = (value: string) => request("GET", `/v1${path}?${name}=${value}`, { user: session })
        for (const value of taken) assert.strictEqual((yield* ask(value)).status, 200, `${path}?${name}=${value}`)
        for (const value of refused)
          assert.deepStrictEqual(faultsOf(yield* ask(value)), [422, [`query.${name}`]], `${path}?${name}=${value}`)
      }
    })
  )

  it.effect("take a field of a body to its limits, and name it when it is beyond them", () =>
    Effect.gen(function* () {
      const { session } = yield* owner
      for (const [path, rest, field, taken, refused] of bodies) {
        const send = (value: unknown) =>
          request("POST", `/v1${path}`, { user: session, body: { ...rest, [field]: value } })
        for (const value of taken) assert.strictEqual((yield* send(value)).status, 201, `${field} ${String(value)}`)
        for (const value of refused)
          assert.deepStrictEqual(faultsOf(yield* send(value)), [422, [`body.${field}`]], `${field} ${String(value)}`)
      }
    })
  )

  it.effect("a deposit is 503 while the gateway is away, and nothing waits for it", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      const gateways = yield* MemoryPaymentGateways
      gateways.setDown(true)
      const { body, status } = yield* request("POST", "/v1/payments/deposits", { user: session, body: money })
      gateways.setDown(false)
      assert.deepStrictEqual([status, body.code, fieldsOf(body)], [503, "SERVICE_UNAVAILABLE", ["code", "detail"]])
      const { body: listed } = yield* request("GET", "/v1/wallet/transactions", { user: session })
      assert.deepStrictEqual(
        listed.transactions.filter(({ status }: any) => status !== "failed"),
        []
      )
    })
  )

  it.effect("a key that is revoked is gone from the list, and is no credential any more", () =>
    Effect.gen(function* () {
      const { session } = yield* newPerson
      const key = yield* newKey(session)
      const { body } = yield* request("GET", "/v1/api-keys", { user: session })
      assert.strictEqual((yield* request("GET", "/v1/flags", { key })).status, 200)
      const revoked = yield* request("DELETE", `/v1/api-keys/${body.api_keys[0].id}`, { user: session })
      assert.deepStrictEqual([revoked.status, revoked.body], [204, null])
      assert.strictEqual((yield* request("GET", "/v1/flags", { key })).status, 401)
      assert.strictEqual((yield* request("GET", "/v1/api-keys", { user: session })).body.total, 0)
    })
  )
})
