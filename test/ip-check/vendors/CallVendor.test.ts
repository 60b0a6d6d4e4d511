import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Redacted, Result, Tracer } from "effect"
import { HttpClient, HttpClientError, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as AbuseIpdb from "../../../src/ip-check/vendors/AbuseIpdb.ts"
import * as CrowdSec from "../../../src/ip-check/vendors/CrowdSec.ts"
import * as GreyNoise from "../../../src/ip-check/vendors/GreyNoise.ts"
import * as IpapiIs from "../../../src/ip-check/vendors/IpapiIs.ts"
import * as IpQualityScore from "../../../src/ip-check/vendors/IpQualityScore.ts"
import * as ProxycheckIo from "../../../src/ip-check/vendors/ProxycheckIo.ts"
import * as Scamalytics from "../../../src/ip-check/vendors/Scamalytics.ts"
import type { VendorSettings } from "../../../src/ip-check/vendors/VendorSettings.ts"
import { ip, key, outside, vendorThat } from "./VendorTesting.ts"

const good = { data: { ipAddress: ip, abuseConfidenceScore: 12 } }

const vendors = {
  AbuseIPDB: AbuseIpdb.make,
  CrowdSec: CrowdSec.make,
  GreyNoise: GreyNoise.make,
  "ipapi.is": IpapiIs.make,
  IPQualityScore: IpQualityScore.make,
  "proxycheck.io": ProxycheckIo.make,
  Scamalytics: (settings: VendorSettings) => Scamalytics.make(Redacted.make("acct-9910"), settings)
}

const useless: Record<string, Parameters<typeof vendorThat>[1]> = {
  "an answer of 400": { status: 400, body: { message: `Unknown key ${key}` } },
  "an answer of 401": { status: 401, body: { errors: [{ detail: `Unknown key ${key}` }] } },
  "an answer of 403": { status: 403, body: { error: `Unknown key ${encodeURIComponent(key)}` } },
  "a page of 404": { status: 404, body: "<html><h1>Not Found</h1></html>" },
  "a long complaint": { status: 401, body: { message: `${"x".repeat(195)}${key}` } },
  "a complaint with escapes": { status: 401, body: `{"message":"${key.replaceAll("/", "\\/")}"}` },
  "an answer of 500": { status: 500, body: good },
  "a redirect": { status: 302, headers: { location: "http://127.0.0.1:1/" }, body: "" },
  "a page of 200": { body: `<html>${key}</html>` },
  "an empty body": { body: "" },
  "another JSON value": { body: [1, 2, 3] },
  "an empty object": { body: {} },
  null: { body: "null" },
  "a broken connection": "reset",
  "a body above the limit": { body: `"${"x".repeat(300_000)}"` }
}

/** The pause of AbuseIPDB after a 429 with these headers, in seconds. */
const pause = (headers: Record<string, string>) =>
  Effect.flatMap(vendorThat(AbuseIpdb.make, { status: 429, headers, body: "" }), ({ ask }) =>
    Effect.map(Effect.flip(ask), ({ pause }) => pause && Duration.toSeconds(pause))
  )

/** Calls AbuseIPDB over connections that fail with these errors in turn; answers the number of calls and the outcome. */
const tried = (codes: ReadonlyArray<string>) => {
  let times = 0
  const client = HttpClient.make((request) =>
    Effect.suspend(() => {
      const code = codes[times++]
      const cause = Object.assign(new Error(`connect ${request.url}`), { code })
      return code === undefined
        ? Effect.succeed(HttpClientResponse.fromWeb(request, Response.json(good)))
        : Effect.fail(
            new HttpClientError.HttpClientError({
              reason: new HttpClientError.TransportError({ request, cause })
            })
          )
    })
  )
  return vendorThat(AbuseIpdb.make, { body: good }).pipe(
    Effect.flatMap(({ ask }) => Effect.result(ask)),
    Effect.map((answer) => [times, Result.isSuccess(answer) ? answer.success.score : answer.failure.reason]),
    Effect.provideService(HttpClient.HttpClient, client)
  )
}

layer(outside)("A call to a vendor", (it) => {
  for (const [name, make] of Object.entries(vendors)) {
    it.effect(`is not repeated after an unusable answer of ${name}, and shows no key`, () =>
      Effect.forEach(Object.entries(useless), ([what, answer]) =>
        Effect.gen(function* () {
          const { ask, asked } = yield* vendorThat(make, answer)
          const error = yield* Effect.flip(ask)
          assert.lengthOf(asked, 1, what)
          const told = JSON.stringify([error, error.message, String(error.stack)])
          for (const secret of [key.slice(0, 5), key.slice(5)]) assert.notInclude(told, secret, what)
        }).pipe(Effect.scoped)
      )
    )

    it.effect(`reads the pause of a 429 of ${name}`, () =>
      Effect.gen(function* () {
        const { ask } = yield* vendorThat(make, { status: 429, headers: { "retry-after": "77" }, body: {} })
        assert.deepStrictEqual((yield* Effect.flip(ask)).pause, Duration.seconds(77))
      })
    )
  }

  it.effect("reads the pause of a 429 as seconds or a date, else as a minute", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-21T10:00:00Z"))
      assert.strictEqual(yield* pause({ "retry-after": "Sat, 21 Nov 2026 10:01:30 GMT" }), 90)
      assert.strictEqual(yield* pause({ "retry-after": "soon" }), 60)
      assert.strictEqual(yield* pause({}), 60)
    })
  )

  it.effect("refuses an answer about another address", () =>
    Effect.gen(function* () {
      for (const ipAddress of ["8.8.8.8", "::ffff:8.8.8.8", "unknown"]) {
        const body = { data: { ...good.data, ipAddress } }
        const { ask } = yield* vendorThat(AbuseIpdb.make, { body })
        assert.strictEqual((yield* Effect.flip(ask)).reason, "HTTP 200: an answer about another address")
      }
      const { ask } = yield* vendorThat(AbuseIpdb.make, { body: { data: { ...good.data, ipAddress: `::ffff:${ip}` } } })
      assert.strictEqual((yield* ask).score, 12)
    })
  )

  it.effect("keeps the raw answer: limited, without keys, and storable", () =>
    Effect.gen(function* () {
      const said = { ...good, padding: `${key}\u0000${"x".repeat(100_000)}` }
      const { ask } = yield* vendorThat(AbuseIpdb.make, { body: JSON.stringify(said).replace("\\u0000", "\u0000") })
      const error = yield* Effect.flip(ask)
      assert.strictEqual(error.raw?.status_code, 200)
      assert.lengthOf(error.raw?.body ?? "", 64 * 1024)
      assert.include(error.raw?.body, '"padding":"***\uFFFDxxx')
      const body = JSON.stringify({ ...good, new_field: [{}] })
      const { ask: again } = yield* vendorThat(AbuseIpdb.make, { body })
      assert.deepStrictEqual((yield* again).raw, { status_code: 200, body })
    })
  )

  it.effect("is repeated once, and only when the connection was never made", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* tried(["ECONNREFUSED"]), [2, 12])
      assert.deepStrictEqual(yield* tried(["ENOTFOUND", "EAI_AGAIN", "ENOTFOUND"]), [2, "no answer (EAI_AGAIN)"])
      assert.deepStrictEqual(yield* tried(["ECONNRESET"]), [1, "no answer (ECONNRESET)"])
    })
  )

  it.effect("has no span with the URL, and sends no trace header", () =>
    Effect.gen(function* () {
      const spans: Array<string> = []
      const tracer = Tracer.make({
        span: (options) => {
          spans.push(options.name)
          return new Tracer.NativeSpan(options)
        }
      })
      const { ask, asked } = yield* vendorThat(IpQualityScore.make, { body: { success: true, fraud_score: 0 } })
      yield* ask.pipe(Effect.withSpan("check"), Effect.withTracer(tracer))
      assert.deepStrictEqual(spans, ["check"])
      assert.isUndefined(asked[0]?.headers["traceparent"])
    })
  )
})
