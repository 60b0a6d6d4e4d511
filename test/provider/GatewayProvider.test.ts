import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Option, Ref } from "effect"
import { GatewayOutOfStock, GatewayProxyNotFound } from "../../src/gateway/GatewayErrors.ts"
import { GatewayProxies, type GatewayProxyRequest } from "../../src/gateway/GatewayProxies.ts"
import { GatewayProxy, GatewayProxyId } from "../../src/gateway/GatewayProxy.ts"
import * as GatewayProvider from "../../src/provider/adapters/GatewayProvider.ts"
import type { ProvisionRequest } from "../../src/provider/ProxyProvider.ts"

const expires_at = DateTime.makeUnsafe("2030-01-31T00:00:00Z")

const proxy = new GatewayProxy({
  id: GatewayProxyId.make("01890000-0000-7000-8000-000000000001"),
  reference: "order-1",
  kind: "residential",
  country_code: "DE",
  ip_version: "IPv4",
  protocol: "SOCKS5",
  port: 20_001,
  username: "user",
  password: "secret",
  whitelist: ["198.51.100.7"],
  exit_ip: null,
  limit_bytes: 50_000_000_000n,
  used_bytes: 1_250_000_000n,
  leased_bytes: 0n,
  status: "open",
  expires_at,
  revision: 1,
  created_at: expires_at,
  updated_at: expires_at
})

const request: ProvisionRequest = {
  reference: "order-1",
  external_id: "isp-de",
  kind: "residential",
  country_code: "DE",
  ip_version: "IPv4",
  protocol: "SOCKS5",
  city: null,
  period_days: 30,
  period_months: 1,
  bandwidth_gb: 50,
  expires_at
}

const over = (gateway: Partial<GatewayProxies["Service"]>) =>
  Effect.provide(GatewayProvider.make, Layer.mock(GatewayProxies)({ host: "proxy.example", ...gateway }))

describe("GatewayProvider", () => {
  it.effect("opens a proxy under the order's reference, with its traffic in GB of 10^9 bytes", () =>
    Effect.gen(function* () {
      const opened = yield* Ref.make<ReadonlyArray<GatewayProxyRequest>>([])
      const provider = yield* over({
        open: (request) =>
          Effect.as(
            Ref.update(opened, (all) => [...all, request]),
            proxy
          )
      })
      assert.deepStrictEqual(yield* provider.provision(request), {
        provider_proxy_id: proxy.id,
        host: "proxy.example",
        port: 20_001,
        username: "user",
        password: "secret",
        protocol: "SOCKS5",
        expires_at
      })
      yield* provider.provision({ ...request, bandwidth_gb: null })
      const { limit_bytes, ...rest } = (yield* Ref.get(opened))[0]!
      assert.strictEqual(limit_bytes, 50_000_000_000n)
      assert.deepStrictEqual(rest, {
        reference: "order-1",
        kind: "residential",
        country_code: "DE",
        ip_version: "IPv4",
        protocol: "SOCKS5",
        expires_at
      })
      assert.isNull((yield* Ref.get(opened))[1]?.limit_bytes)
    })
  )

  it.effect("refuses for good when no port or exit address is free", () =>
    Effect.gen(function* () {
      const provider = yield* over({ open: () => Effect.fail(new GatewayOutOfStock()) })
      const error = yield* Effect.flip(provider.provision(request))
      assert.strictEqual(error._tag, "ProviderRefused")
      assert.include(error.reason, "no free port")
    })
  )

  it.effect("finds a proxy by reference, or tells that there is none", () =>
    Effect.gen(function* () {
      const provider = yield* over({
        find: (reference) => Effect.succeed(reference === "order-1" ? Option.some(proxy) : Option.none())
      })
      assert.strictEqual((yield* provider.find("order-1"))?.provider_proxy_id, proxy.id)
      assert.isUndefined(yield* provider.find("order-2"))
    })
  )

  it.effect("ending a proxy that is gone is no error", () =>
    Effect.gen(function* () {
      const provider = yield* over({ close: () => Effect.fail(new GatewayProxyNotFound()) })
      yield* provider.release(proxy.id)
    })
  )

  it.effect("reports traffic by hour", () =>
    Effect.gen(function* () {
      const provider = yield* over({
        usage: (ids, hour) => Effect.succeed(ids.map((id) => ({ id, hour, bytes: 7n })))
      })
      assert.deepStrictEqual(yield* provider.traffic([proxy.id], expires_at), [
        { provider_proxy_id: proxy.id, hour: expires_at, bytes: 7n }
      ])
    })
  )

  it.effect("with its database away, opening has an unknown outcome and everything else is unavailable", () =>
    Effect.gen(function* () {
      const away = Effect.die(new Error("the connection is lost"))
      const provider = yield* over({
        offers: away,
        open: () => away,
        find: () => away,
        close: () => away,
        usage: () => away
      })
      assert.strictEqual((yield* Effect.flip(provider.provision(request)))._tag, "ProviderOutcomeUnknown")
      const others: ReadonlyArray<Effect.Effect<unknown, { readonly _tag: string }>> = [
        provider.offers,
        provider.find("order-1"),
        provider.release(proxy.id),
        provider.traffic([proxy.id], expires_at)
      ]
      for (const call of others) assert.strictEqual((yield* Effect.flip(call))._tag, "ProviderUnavailable")
    })
  )
})
