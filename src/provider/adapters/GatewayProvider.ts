import { Cause, type DateTime, Duration, Effect, Option } from "effect"
import { GatewayProxies } from "../../gateway/GatewayProxies.ts"
import { type GatewayProxy, GatewayProxyId } from "../../gateway/GatewayProxy.ts"
import { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "../ProviderErrors.ts"
import type { ProviderProxy, ProvisionRequest, ProxyProvider } from "../ProxyProvider.ts"

const name = "gateway"

const bytesPerGb = 1_000_000_000

/** The gateway's state is in our database; when that fails, this fails like any other provider. */
const failingAs =
  <E>(Failure: new (fields: { readonly provider: string; readonly reason: string }) => E) =>
  <A, E1, R>(effect: Effect.Effect<A, E1, R>) =>
    Effect.catchDefect(effect, (defect) =>
      Effect.andThen(
        Effect.logError("The gateway's database failed", Cause.die(defect)),
        Effect.fail(new Failure({ provider: name, reason: "the gateway's database failed" }))
      )
    )

const orUnavailable = failingAs(ProviderUnavailable)

/** The embedded gateway as a provider. Opening under the same reference again gives the same proxy. */
export const make = Effect.map(GatewayProxies, (proxies): ProxyProvider => {
  const toProviderProxy = (proxy: GatewayProxy): ProviderProxy => ({
    provider_proxy_id: proxy.id,
    host: proxies.host,
    port: proxy.port,
    username: proxy.username,
    password: proxy.password,
    protocol: proxy.protocol,
    expires_at: proxy.expires_at
  })

  return {
    name,
    capabilities: { find_settles_after: Duration.zero, traffic: true },
    offers: orUnavailable(proxies.offers),
    provision: Effect.fn("GatewayProvider.provision")(
      function* ({ bandwidth_gb, country_code, expires_at, ip_version, kind, protocol, reference }: ProvisionRequest) {
        const limit_bytes = bandwidth_gb === null ? null : BigInt(Math.round(bandwidth_gb * bytesPerGb))
        return toProviderProxy(
          yield* proxies.open({ reference, kind, country_code, ip_version, protocol, limit_bytes, expires_at })
        )
      },
      Effect.catchTag("GatewayOutOfStock", ({ detail }) =>
        Effect.fail(new ProviderRefused({ provider: name, reason: detail }))
      ),
      failingAs(ProviderOutcomeUnknown)
    ),
    find: Effect.fn("GatewayProvider.find")(function* (reference: string) {
      return Option.getOrUndefined(Option.map(yield* proxies.find(reference), toProviderProxy))
    }, orUnavailable),
    release: Effect.fn("GatewayProvider.release")(
      function* (provider_proxy_id: string) {
        yield* proxies.close(GatewayProxyId.make(provider_proxy_id))
      },
      Effect.catchTag("GatewayProxyNotFound", () => Effect.void),
      orUnavailable
    ),
    traffic: Effect.fn("GatewayProvider.traffic")(function* (
      provider_proxy_ids: ReadonlyArray<string>,
      since: DateTime.Utc
    ) {
      const usage = yield* proxies.usage(
        provider_proxy_ids.map((id) => GatewayProxyId.make(id)),
        since
      )
      return usage.map(({ bytes, hour, id }) => ({ provider_proxy_id: id, hour, bytes }))
    }, orUnavailable)
  }
})
