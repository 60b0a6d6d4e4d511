import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Logger, Redacted, Schema } from "effect"
import * as ProxySellerClient from "../../../src/provider/adapters/ProxySellerClient.ts"
import { start } from "../vendors/VendorServer.ts"

it.effect("The client of Proxy-Seller reads a bare HTTP 401 as refused access, without an effect", () => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => logged.push(String(message)))
  return Effect.gen(function* () {
    const { url } = yield* start(() => ({ status: 401, body: "" }))
    const { call } = yield* ProxySellerClient.make({
      api_url: url,
      api_key: Redacted.make("k3y"),
      purpose: "tests",
      markup_percent: 0
    })
    for (const kind of ["read", "money"] as const) {
      const { outcome, reason } = yield* Effect.flip(call({ kind, path: "balance/get", schema: Schema.Unknown }))
      assert.deepStrictEqual([outcome, reason], ["not_executed", "the vendor refuses access"])
    }
    assert.match(
      logged[0] ?? "",
      /^Cannot use Proxy-Seller: it refuses access \(HTTP 401\); check PROXY_SELLER_API_KEY/
    )
    assert.notInclude(logged.join(), "k3y")
  }).pipe(Effect.provide([Logger.layer([logger]), NodeHttpClient.layerNodeHttp]))
})
