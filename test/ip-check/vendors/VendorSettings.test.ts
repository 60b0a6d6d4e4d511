import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Cause, ConfigProvider, Effect, Exit, Layer } from "effect"
import { IpVendors } from "../../../src/ip-check/vendors/IpVendors.ts"
import { VendorUsageRepo } from "../../../src/ip-check/vendors/VendorUsageRepo.ts"

const nowhere = "http://127.0.0.1:1"

/** Who is asked when the service runs with these variables. */
const askedWith = (variables: Record<string, string>) =>
  IpVendors.use(({ ask }) => ask("8.8.8.250")).pipe(
    Effect.map((reports) => reports.map(({ row }) => row.vendor)),
    Effect.provide(
      IpVendors.layerNoDeps.pipe(
        Layer.provide([
          NodeHttpClient.layerNodeHttp,
          Layer.mock(VendorUsageRepo)({ take: () => Effect.succeed(new Set<string>()) }),
          ConfigProvider.layer(ConfigProvider.fromEnvRecord(variables))
        ])
      )
    )
  )

const refusal = (variables: Record<string, string>) =>
  Effect.map(Effect.exit(askedWith(variables)), (exit) => (Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "none"))

const keys = {
  ABUSEIPDB_API_KEY: "a",
  ABUSEIPDB_API_URL: nowhere,
  CROWDSEC_API_KEY: "b",
  CROWDSEC_API_URL: nowhere,
  GREYNOISE_API_KEY: "c",
  GREYNOISE_API_URL: nowhere,
  IPAPI_IS_API_KEY: "d",
  IPAPI_IS_API_URL: nowhere,
  IPQUALITYSCORE_API_KEY: "e",
  IPQUALITYSCORE_API_URL: nowhere,
  PROXYCHECK_API_KEY: "f",
  PROXYCHECK_API_URL: nowhere,
  SCAMALYTICS_USER: "g",
  SCAMALYTICS_API_KEY: "h",
  SCAMALYTICS_API_URL: nowhere
}

it.effect("without any key only the sandbox is asked, and nobody without the sandbox", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* askedWith({}), ["sandbox_reputation", "sandbox_anonymity"])
    assert.deepStrictEqual(yield* askedWith({ SANDBOX: "false" }), [])
  })
)

it.effect("each vendor is asked whose key is there", () =>
  Effect.gen(function* () {
    const real = ["abuseipdb", "crowdsec", "greynoise", "ipapi_is", "ipqualityscore", "proxycheck", "scamalytics"]
    assert.deepStrictEqual(yield* askedWith({ ...keys, SANDBOX: "false" }), real)
    const one = { GREYNOISE_API_KEY: "c", GREYNOISE_API_URL: nowhere, SANDBOX: "false" }
    assert.deepStrictEqual(yield* askedWith(one), ["greynoise"])
  })
)

it.effect("the sandbox is not asked beside a real vendor, also where it may stand beside one", () =>
  Effect.gen(function* () {
    const one = { GREYNOISE_API_KEY: "c", GREYNOISE_API_URL: nowhere, SANDBOX_UNSAFE: "true" }
    assert.deepStrictEqual(yield* askedWith(one), ["greynoise"])
    assert.deepStrictEqual(yield* askedWith({ ...one, SANDBOX: "true" }), ["greynoise"])
  })
)

for (const [name, variables, told] of [
  ["half of an account at Scamalytics", { SCAMALYTICS_USER: "g" }, "SCAMALYTICS_API_KEY is missing"],
  ["the other half", { SCAMALYTICS_API_KEY: "h" }, "SCAMALYTICS_USER is missing"],
  ["a key without text", { ABUSEIPDB_API_KEY: " " }, "ABUSEIPDB_API_KEY"],
  ["a quota of nothing", { CROWDSEC_API_KEY: "b", CROWDSEC_CALLS_PER_DAY: "0" }, "CROWDSEC_CALLS_PER_DAY"],
  [
    "a quota that is no number",
    { CROWDSEC_API_KEY: "b", CROWDSEC_CALLS_PER_MONTH: "many" },
    "CROWDSEC_CALLS_PER_MONTH"
  ],
  ["an address that is none", { GREYNOISE_API_KEY: "c", GREYNOISE_API_URL: "greynoise" }, "GREYNOISE_API_URL"]
] as const)
  it.effect(`${name} stops the start and is named`, () =>
    Effect.gen(function* () {
      assert.include(yield* refusal({ ...variables, SANDBOX: "false" }), told)
    })
  )
