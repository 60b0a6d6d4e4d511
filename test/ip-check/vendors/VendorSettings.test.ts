import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Cause, ConfigProvider, Effect, Exit, Layer } from "effect"
import { IpVendors } from "../../../src/ip-check/vendors/IpVendors.ts"
import { VendorUsageRepo } from "../../../src/ip-check/vendors/VendorUsageRepo.ts"

const nowhere = "http://127.0.0.1:1"

/** The ids of the vendors of a service with these variables. */
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

it.effect("The service without keys asks only the sandbox, and no vendor without the sandbox", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* askedWith({}), ["sandbox_reputation", "sandbox_anonymity"])
    assert.deepStrictEqual(yield* askedWith({ SANDBOX: "false" }), [])
  })
)

it.effect("The service asks each vendor with a key", () =>
  Effect.gen(function* () {
    const real = ["abuseipdb", "crowdsec", "greynoise", "ipapi_is", "ipqualityscore", "proxycheck", "scamalytics"]
    assert.deepStrictEqual(yield* askedWith({ ...keys, SANDBOX: "false" }), real)
    const one = { GREYNOISE_API_KEY: "c", GREYNOISE_API_URL: nowhere, SANDBOX: "false" }
    assert.deepStrictEqual(yield* askedWith(one), ["greynoise"])
  })
)

it.effect("The service never asks the sandbox beside a real vendor, even with SANDBOX_UNSAFE", () =>
  Effect.gen(function* () {
    const one = { GREYNOISE_API_KEY: "c", GREYNOISE_API_URL: nowhere, SANDBOX_UNSAFE: "true" }
    assert.deepStrictEqual(yield* askedWith(one), ["greynoise"])
    assert.deepStrictEqual(yield* askedWith({ ...one, SANDBOX: "true" }), ["greynoise"])
  })
)

for (const [name, variables, told] of [
  ["a Scamalytics user without a key", { SCAMALYTICS_USER: "g" }, "SCAMALYTICS_API_KEY is missing"],
  ["a Scamalytics key without a user", { SCAMALYTICS_API_KEY: "h" }, "SCAMALYTICS_USER is missing"],
  ["an empty key", { ABUSEIPDB_API_KEY: " " }, "ABUSEIPDB_API_KEY"],
  ["a quota of 0", { CROWDSEC_API_KEY: "b", CROWDSEC_CALLS_PER_DAY: "0" }, "CROWDSEC_CALLS_PER_DAY"],
  [
    "a quota that is not a number",
    { CROWDSEC_API_KEY: "b", CROWDSEC_CALLS_PER_MONTH: "many" },
    "CROWDSEC_CALLS_PER_MONTH"
  ],
  ["a malformed URL", { GREYNOISE_API_KEY: "c", GREYNOISE_API_URL: "greynoise" }, "GREYNOISE_API_URL"]
] as const)
  it.effect(`The start fails and names the variable for ${name}`, () =>
    Effect.gen(function* () {
      assert.include(yield* refusal({ ...variables, SANDBOX: "false" }), told)
    })
  )
