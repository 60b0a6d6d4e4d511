import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Redacted, Struct } from "effect"
import type { HttpClient } from "effect/http"
import type { IpVendor } from "../../../src/ip-check/vendors/IpVendor.ts"
import type { VendorSettings } from "../../../src/ip-check/vendors/VendorSettings.ts"
import { type Answer, start } from "../../provider/vendors/VendorServer.ts"

export const key = "KEY/of+tests"
export const outside = NodeHttpClient.layerNodeHttp
export const ip = "185.220.101.1"

type Make = (settings: VendorSettings) => Effect.Effect<IpVendor, never, HttpClient.HttpClient>

/** A vendor whose server on loopback gives this answer. It records its requests. */
export const vendorThat = Effect.fnUntraced(function* (make: Make, answer: Answer | (() => Answer)) {
  const { asked, url } = yield* start(typeof answer === "function" ? answer : () => answer)
  const vendor = yield* make({
    api_key: Redacted.make(key),
    api_url: url,
    quota: { per_day: undefined, per_month: undefined }
  })
  return { vendor, asked, ask: vendor.ask(ip) }
})

/** Reads the body of an answer as the vendor does. */
export const opinionOn = (make: Make, body: unknown, status = 200) =>
  Effect.gen(function* () {
    const { ask } = yield* vendorThat(make, { status, body })
    return Struct.omit(yield* ask, ["raw"])
  }).pipe(Effect.scoped)

/** Asserts the band of each body. */
export const bandsOf = (make: Make, bodies: ReadonlyArray<unknown>) =>
  Effect.forEach(bodies, (body) => Effect.map(opinionOn(make, body), ({ band }) => band))
