import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { faultsOf } from "../support/Contract.ts"
import { discrepancies } from "../support/Discrepancies.ts"
import * as MockedApp from "../support/MockedApp.ts"
import { request } from "../support/TestServer.ts"

type Exchange = Parameters<typeof faultsOf>[0]

const json = { "content-type": "application/json", "cache-control": "private, no-store" }
const id = "0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"

const counts: Exchange = {
  method: "GET",
  url: "/v1/orders/counts?proxy_type=mobile",
  status: 200,
  headers: json,
  body: JSON.stringify({ active: 1, expiring: 0, expired: 0, total: 1 })
}

const catalog: Exchange = {
  method: "GET",
  url: "/v1/catalog",
  status: 200,
  headers: { ...json, etag: `"1"`, "cache-control": "no-cache" },
  body: JSON.stringify({ kinds: [], total: 0 })
}

const deleted: Exchange = {
  method: "DELETE",
  url: `/v1/api-keys/${id}`,
  status: 204,
  headers: { "cache-control": "private, no-store" },
  body: ""
}

const tested: Exchange = {
  ...catalog,
  method: "POST",
  url: `/v1/webhooks/${id}/test`,
  headers: json,
  body: JSON.stringify({ delivery_id: id, delivered: true, status_code: 200, duration_ms: 12, error: null })
}

const autoRenew: Exchange = {
  method: "POST",
  url: `/v1/orders/${id}/auto-renew`,
  sent: JSON.stringify({ enabled: true, more: "is ignored" }),
  status: 200,
  headers: json,
  body: JSON.stringify({
    order_id: id,
    provider_proxy_id: "p1",
    auto_renew: true,
    status: "active",
    expires_at: "2026-01-31T12:00:00.000Z"
  })
}

const kept: ReadonlyArray<readonly [what: string, exchange: Exchange]> = [
  ["a whole body", counts],
  ["its headers", catalog],
  ["no body", deleted],
  ["an answer without its body to HEAD", { ...catalog, method: "HEAD", body: "" }],
  ["null where it may be", tested],
  ["a request body with more than it needs", autoRenew],
  ["an unknown path", { ...counts, url: "/v1/nothing", status: 404, body: `{"detail":"","code":"NOT_FOUND"}` }],
  ["what is not in the document on purpose", { ...counts, method: "POST", url: "/oauth/token", body: "{}" }]
]

const broken: ReadonlyArray<readonly [what: string, exchange: Exchange, faults: ReadonlyArray<RegExp>]> = [
  [
    "a member of another type",
    { ...counts, body: counts.body.replace(`"total":1`, `"total":"1"`) },
    [/^orders\.counts 200: body \/total must be integer/]
  ],
  ["a member that is missing", { ...counts, body: counts.body.replace(`"active":1,`, "") }, [/body \/ .*"active"/]],
  ["a member that is not documented", { ...counts, body: counts.body.replace("{", `{"new":1,`) }, [/body \/ .*"new"/]],
  [
    "a member deep inside",
    { ...catalog, body: `{"kinds":[{"kind":"isp","offers":[]}],"total":0}` },
    [/\/kinds\/0\/kind/]
  ],
  ["text that is no JSON", { ...counts, body: "<h1>" }, [/body \/ must be object/]],
  ["another status", { ...counts, status: 418 }, [/^orders\.counts 418: the status is not documented/]],
  [
    "another content type",
    { ...counts, headers: { ...json, "content-type": "text/html" } },
    [/content type text\/html/]
  ],
  [
    "an answer that caches may keep",
    { ...counts, headers: { ...json, "cache-control": "no-cache" } },
    [/^orders\.counts 200: caches may keep the answer/]
  ],
  [
    "a header that is missing",
    { ...catalog, headers: { "content-type": "application/json" } },
    [/header etag is missing/, /header cache-control/]
  ],
  ["a body where there is none", { ...deleted, body: "{}" }, [/a body where none is documented/]],
  ["an operation", { ...counts, url: "/v1/orders/totals/all" }, [/^GET .* 200: the operation is not documented/]],
  ["a method", { ...deleted, method: "PATCH" }, [/^PATCH .* 204: the operation is not documented/]],
  [
    "a request body that the document refuses",
    { ...autoRenew, sent: `{"enabled":"yes"}` },
    [/^extensions\.autoRenew 200: accepted request body \/enabled must be boolean/]
  ]
]

describe("The check of answers in tests", () => {
  it.each(kept)("lets pass %s", (_, exchange) => assert.deepStrictEqual(faultsOf(exchange), []))

  it.each(broken)("finds %s", (_, exchange, expected) => {
    const faults = faultsOf(exchange)
    assert.strictEqual(faults.length, expected.length, faults.join("\n"))
    for (const [index, fault] of expected.entries()) assert.match(faults[index] ?? "", fault)
  })
})

const astray = Layer.mock(Catalog)({
  answer: () => Effect.succeed({ etag: `"1"`, isCurrent: () => false, body: new TextEncoder().encode(`{"kinds":[]}`) })
})

layer(MockedApp.layer(astray))("The server of the tests", (it) => {
  it.effect("notes an answer that contradicts the document, also for a caller that ignores the answer", () =>
    Effect.gen(function* () {
      yield* request("GET", "/v1/catalog")
      assert.deepStrictEqual(discrepancies.splice(0), [
        `catalog.listOffers 200: body / must have required property 'total' {"missingProperty":"total"}`
      ])
    })
  )
})
