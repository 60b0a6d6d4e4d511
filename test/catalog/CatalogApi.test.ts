import { NodeCrypto } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { CatalogApi } from "../../src/catalog/CatalogApi.ts"
import * as CatalogHttp from "../../src/catalog/CatalogHttp.ts"
import * as CatalogSync from "../../src/catalog/CatalogSync.ts"
import { CatalogWriter } from "../../src/catalog/CatalogWriter.ts"
import { Flags } from "../../src/flags/Flags.ts"
import { RequestValidation } from "../../src/http/RequestValidation.ts"
import { ClientAddress } from "../../src/platform/requests/ClientAddress.ts"
import { RateLimit } from "../../src/platform/requests/RateLimit.ts"
import { datacenter, mobile, residential } from "../support/MemoryOffers.ts"
import { MemoryProvider } from "../support/MemoryProvider.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { layerOf, request } from "../support/TestServer.ts"

const dearIsp = {
  ...residential,
  external_id: "isp-us",
  country_code: "US",
  locations: [
    { region: "Texas", city: "Austin" },
    { region: "Illinois", city: "Berlin" }
  ],
  options: residential.options.map((option) => ({ ...option, prices: { USD: 9_990_000n, STAR: 500n } }))
}
const ipv6 = { ...datacenter, external_id: "dc6-us", ip_version: "IPv6" as const, is_available: false }

const api = HttpApi.make("proxy-rental").add(CatalogApi).middleware(RequestValidation).prefix("/v1")

const world = layerOf(api, CatalogHttp.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Catalog.layer, CatalogWriter.layer)),
  Layer.provideMerge(Layer.mergeAll(ClientAddress.layer, Flags.layer, RateLimit.layer)),
  Layer.provideMerge(
    Layer.merge(
      MemoryProvider.layerOf({ offers: [dearIsp, mobile, ipv6, residential, datacenter] }),
      TestDatabase.layer
    )
  ),
  Layer.provide(NodeCrypto.layer)
)

const get = (query = "", headers: Record<string, string> = {}) => request("GET", `/v1/catalog${query}`, { headers })

const offersOf = (body: any): ReadonlyArray<any> => body.kinds.flatMap(({ offers }: any) => offers)

const names = (body: any) =>
  offersOf(body).map(({ country_code, ip_version, kind }) => `${kind} ${country_code} ${ip_version}`)

const dcUs = "datacenter US IPv4"
const dc6Us = "datacenter US IPv6"
const ispDe = "residential DE IPv4"
const ispUs = "residential US IPv4"
const mobileGb = "mobile GB IPv4"

layer(world)("GET /catalog", (it) => {
  it.effect("is empty before the first sync", () =>
    Effect.gen(function* () {
      const { body, status } = yield* get()
      assert.deepStrictEqual({ status, body }, { status: 200, body: { kinds: [], total: 0 } })
      yield* CatalogSync.run
    })
  )

  it.effect("lists every offer by kind, cheapest first, then by id", () =>
    Effect.gen(function* () {
      const { body } = yield* get()
      assert.deepStrictEqual(names(body), [dc6Us, dcUs, ispDe, ispUs, mobileGb])
      assert.deepStrictEqual(
        body.kinds.map(({ kind }: any) => kind),
        ["datacenter", "residential", "mobile"]
      )
      assert.strictEqual(body.total, 5)
    })
  )

  it.effect("shows an offer with exactly the documented fields", () =>
    Effect.gen(function* () {
      const { body } = yield* get("?kind=residential&country=DE")
      const [offer] = body.kinds[0].offers
      assert.isNumber(offer.id)
      assert.deepStrictEqual(offer, {
        id: offer.id,
        kind: "residential",
        mode: "static",
        ip_version: "IPv4",
        name: "Residential ISP, Germany",
        description: "Static addresses of a hosting provider",
        country_code: "DE",
        is_available: true,
        price_from_usd: 3.5,
        currency: "USD",
        price_per_gb: 0.6,
        protocols: ["HTTP", "SOCKS5"],
        locations: [
          { region: "Bavaria", city: "Munich" },
          { region: "Berlin", city: "Berlin" }
        ],
        options: [
          {
            tarification_index: 0,
            period_days: 30,
            period_name: "1 month",
            period_months: 1,
            bandwidth_gb: 50,
            price: 3.5
          }
        ]
      })
    })
  )

  it.effect(
    "shows prices in stars; an option that is not sold for stars has price null, and price_from_usd stays in USD",
    () =>
      Effect.gen(function* () {
        const { body } = yield* get("?currency=STAR")
        const shown = offersOf(body).map(({ country_code, currency, kind, options, price_from_usd, price_per_gb }) => ({
          offer: `${kind} ${country_code}`,
          currency,
          price_from_usd,
          price_per_gb,
          prices: options.map(({ price }: any) => price)
        }))
        assert.deepStrictEqual(shown[0], {
          offer: "datacenter US",
          currency: "STAR",
          price_from_usd: 1.5,
          price_per_gb: null,
          prices: [75, 200]
        })
        assert.deepStrictEqual(shown[2], {
          offer: "residential DE",
          currency: "STAR",
          price_from_usd: 3.5,
          price_per_gb: 30,
          prices: [null]
        })
      })
  )

  it.effect("numbers the options in the provider's order and leaves out a missing description", () =>
    Effect.gen(function* () {
      const { body } = yield* get("?kind=mobile")
      const [offer] = body.kinds[0].offers
      assert.isFalse("description" in offer)
      assert.deepStrictEqual(
        offer.options.map(({ bandwidth_gb, period_days, tarification_index }: any) => [
          tarification_index,
          period_days,
          bandwidth_gb
        ]),
        [
          [0, 1, 5],
          [1, 7, 20],
          [2, 30, null]
        ]
      )
    })
  )

  const filters: ReadonlyArray<readonly [query: string, expected: ReadonlyArray<string>]> = [
    ["?kind=datacenter", [dc6Us, dcUs]],
    ["?kind=MOBILE", [mobileGb]],
    ["?country=US", [dc6Us, dcUs, ispUs]],
    ["?country=de", [ispDe]],
    ["?country=FR", []],
    ["?kind=residential&country=us", [ispUs]],
    ["?is_available=true", [dcUs, ispDe, ispUs]],
    ["?is_available=True&kind=mobile", []],
    ["?is_available=false", [dc6Us, dcUs, ispDe, ispUs, mobileGb]],
    ["?currency=usd", [dc6Us, dcUs, ispDe, ispUs, mobileGb]],
    ["?region=bavaria", [ispDe]],
    ["?city=AUSTIN", [ispUs]],
    ["?city=Berlin", [ispDe, ispUs]],
    ["?region=Berlin&city=Berlin", [ispDe]],
    ["?region=Bavaria&city=Berlin", []],
    ["?city=Berlin&country=US", [ispUs]],
    ["?city=Atlantis", []],
    [`?city=${"x".repeat(100)}`, []],
    ["?page=2", [dc6Us, dcUs, ispDe, ispUs, mobileGb]]
  ]
  for (const [query, expected] of filters)
    it.effect(`${query} keeps ${expected.length === 0 ? "nothing" : expected.join(", ")}`, () =>
      Effect.gen(function* () {
        const { body, status } = yield* get(query)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(names(body), expected)
        assert.strictEqual(body.total, expected.length)
      })
    )

  const faults: ReadonlyArray<readonly [query: string, field: string]> = [
    ["?kind=static", "kind"],
    ["?kind=", "kind"],
    ["?kind=mobile&kind=datacenter", "kind"],
    ["?country=USA", "country"],
    ["?country=1A", "country"],
    ["?is_available=maybe", "is_available"],
    ["?currency=EUR", "currency"],
    ["?region=", "region"],
    [`?region=${"x".repeat(101)}`, "region"],
    [`?city=${"x".repeat(101)}`, "city"],
    ["?city=a%00b", "city"]
  ]
  for (const [query, field] of faults)
    it.effect(`${query.slice(0, 40)} is refused with 422`, () =>
      Effect.gen(function* () {
        const { body, status } = yield* get(query)
        assert.strictEqual(status, 422)
        assert.strictEqual(body.code, "VALIDATION_ERROR")
        assert.deepStrictEqual(
          body.detail.map(({ loc }: any) => loc),
          [["query", field]]
        )
      })
    )

  it.effect("names all faults of a request together", () =>
    Effect.gen(function* () {
      const { body, status } = yield* get("?kind=x&currency=y&is_available=z")
      assert.strictEqual(status, 422)
      assert.deepStrictEqual(body.detail.map(({ loc }: any) => loc[1]).toSorted(), ["currency", "is_available", "kind"])
      assert.include(
        body.detail.map(({ msg }: any) => msg),
        "Expected one of USD, STAR"
      )
    })
  )

  it.effect("answers 403 only to a region or a city while the flag is off", () =>
    Effect.gen(function* () {
      const flags = yield* Flags
      yield* flags.set("isp.city.enable", null, false)
      for (const query of ["?city=Berlin", "?region=Berlin", "?region=Berlin&city=Berlin"]) {
        const { body, status } = yield* get(query)
        assert.strictEqual(status, 403)
        assert.strictEqual(body.code, "FEATURE_DISABLED")
        assert.isString(body.detail)
      }
      assert.strictEqual((yield* get(`?city=${"x".repeat(101)}`)).status, 422)
      assert.strictEqual((yield* get("?country=DE")).status, 200)
      yield* flags.set("isp.city.enable", null, null)
      assert.strictEqual((yield* get("?city=Berlin")).status, 200)
    })
  )

  it.effect("carries a strong entity tag that differs for each answer", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.all([get(), get(), get("?currency=STAR"), get("?kind=mobile")])
      const [first, again, stars, mobiles] = answers.map(({ headers }) => headers["etag"])
      assert.match(first ?? "", /^"[\w-]{43}"$/)
      assert.strictEqual(again, first)
      assert.strictEqual(new Set([first, stars, mobiles]).size, 3)
      for (const { headers } of answers) {
        assert.strictEqual(headers["cache-control"], "no-cache")
        assert.strictEqual(headers["content-type"], "application/json")
      }
    })
  )

  it.effect("answers 304 without a body to its own tag, in a list, weak, or as *", () =>
    Effect.gen(function* () {
      const { etag = "" } = (yield* get("?kind=mobile")).headers
      for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
        const { body, headers, status } = yield* get("?kind=mobile", { "if-none-match": tag })
        assert.deepStrictEqual({ status, body }, { status: 304, body: null })
        assert.strictEqual(headers["etag"], etag)
        assert.strictEqual(headers["cache-control"], "no-cache")
      }
      for (const tag of ['"other"', etag.replaceAll('"', ""), ""])
        assert.strictEqual((yield* get("?kind=mobile", { "if-none-match": tag })).status, 200)
      assert.strictEqual((yield* get("", { "if-none-match": etag })).status, 200)
    })
  )

  it.effect("shows a changed catalog immediately after a sync, without a restart", () =>
    Effect.gen(function* () {
      const { etag = "" } = (yield* get()).headers
      yield* CatalogSync.run
      assert.strictEqual((yield* get("", { "if-none-match": etag })).status, 304)
      const memory = yield* MemoryProvider
      memory.setOffers([dearIsp, mobile, ipv6, { ...residential, is_available: false }, datacenter])
      yield* CatalogSync.run
      const { body, status } = yield* get("", { "if-none-match": etag })
      assert.strictEqual(status, 200)
      assert.isFalse(body.kinds[1].offers[0].is_available)
    })
  )

  it.effect("is documented with its parameters, entity tag, 304, 403 and 422", () =>
    Effect.sync(() => {
      const operation: any = OpenApi.fromApi(api).paths["/v1/catalog"]?.get
      assert.deepStrictEqual(Object.keys(operation.responses).toSorted(), ["200", "304", "403", "413", "422", "429"])
      assert.isDefined(operation.responses["200"].headers.etag)
      assert.isDefined(operation.responses["304"].headers.etag)
      const parameters = Object.fromEntries(operation.parameters.map((parameter: any) => [parameter.name, parameter]))
      assert.deepStrictEqual(parameters.kind.schema.allOf[0].enum, ["datacenter", "residential", "mobile"])
      assert.isFalse(parameters.currency.required)
    })
  )
})
