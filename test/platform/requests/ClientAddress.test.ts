import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { ClientAddress } from "../../../src/platform/requests/ClientAddress.ts"

const configured = (settings: Record<string, string>) =>
  ClientAddress.layer.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(settings))))

const forwardedBy = (header: string) =>
  HttpServerRequest.fromWeb(new Request("http://localhost/", { headers: { "x-forwarded-for": header } }))

const cases = [
  ["192.0.2.7", "192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7"],
  ["2001:DB8:0:1:2:3:4:5", "2001:db8:0:1:2:3:4:5", "2001:db8:0:1::/64"],
  ["2001:db8:0:1::6, 2001:db8::1", "2001:db8::1", "2001:db8::/64"],
  ["nonsense", "unknown", "unknown"]
] as const

it.effect.each(cases)("X-Forwarded-For %s gives the address %s, and limits count %s", ([header, current, limited]) =>
  Effect.gen(function* () {
    const client = yield* ClientAddress
    const addresses = yield* Effect.provideService(
      Effect.all([client.current, client.limited]),
      HttpServerRequest.HttpServerRequest,
      forwardedBy(header)
    )
    assert.deepStrictEqual(addresses, [current, limited])
  }).pipe(Effect.provide(configured({ TRUST_PROXY: " 1 " })))
)

it.effect.each(["one", "1.5", "-1", "11", "1e1"])("The start refuses TRUST_PROXY=%s by name", (value) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(Effect.scoped(Layer.build(configured({ TRUST_PROXY: value }))))
    assert.include(message, "Expected an integer between 0 and 10")
    assert.include(message, "TRUST_PROXY")
  })
)
