import { Context, Effect, Layer, Result, Schema } from "effect"
import { isIP, isIPv4 } from "node:net"
import { getThroughProxy, type ProxyFailed, type ThroughProxy } from "../../platform/outbound/GetThroughProxy.ts"
import { resolve } from "../../platform/outbound/NameResolution.ts"
import { canonical } from "../../platform/outbound/OwnAddresses.ts"
import type { ProbeAccess, ProxyProvider } from "../../provider/ProxyProvider.ts"
import { Providers } from "../../provider/Providers.ts"
import type { LiveOrder } from "../LiveOrder.ts"
import { LiveProxies } from "../proxies/LiveProxies.ts"
import * as ProviderCall from "../proxies/ProviderCall.ts"
import { isExpected } from "../proxies/ProxyTests.ts"
import type { Probe, ProbeError } from "./Probe.ts"
import { probeEcho } from "./ProbeSettings.ts"

/** The time of the provider, and that of the request. Together they stay below 10 seconds. */
const providerPatience = "2 seconds"
const within = "7 seconds"
/** The time of the echo without a proxy. A check that needs all of them stays below its lease. */
const echoPatience = "3 seconds"

const decodeAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ ip: Schema.String })))

const untried = {
  vantage: "centre",
  connect_ms: null,
  tls_ms: null,
  first_byte_ms: null,
  exit_ip: null,
  expected_ip: null
} satisfies Omit<Probe, "error">

const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, "")
const portOf = (url: URL) => Number(url.port || (url.protocol === "https:" ? 443 : 80))

/**
 * An answer of the echo other than its own is not a fault of the proxy. A vendor with a whitelist refuses the service in any way, as
 * by silence, and one without traffic refuses it too, so that says nothing.
 */
const errorOf = ({ failure, has_answer }: ProxyFailed, order: LiveOrder, isProbeLogin: boolean): ProbeError => {
  if (has_answer) return "no_echo"
  if (isProbeLogin) return failure
  if (order.whitelisted_ips.length > 0) return "address_not_allowed"
  return failure === "refused" ? "login_refused" : failure
}

/** Makes the function that finds a login, and the address to expect. */
const makeAccess = Effect.gen(function* () {
  const live = yield* LiveProxies
  const echo = yield* probeEcho
  const target = `${hostOf(echo)}:${portOf(echo)}`

  return Effect.fnUntraced(function* (
    order: LiveOrder,
    provider: ProxyProvider,
    asksVendor: boolean
  ): Effect.fn.Return<ProbeAccess | ProbeError> {
    const { password, provider_proxy_id, username } = order
    if (provider.probe !== undefined) {
      const access = ProviderCall.answered(provider.probe(provider_proxy_id, target), providerPatience)
      return yield* Effect.match(access, {
        onFailure: () => "provider_down" as const,
        onSuccess: (found) => found ?? ("stopped" as const)
      })
    }
    if (username === null || password === null) return "stopped"
    const read = asksVendor ? Effect.timeout(live.read(order), providerPatience) : Effect.undefined
    const proxy = yield* Effect.orElseSucceed(read, () => undefined)
    return { username, password, expected_ip: proxy?.current_ip ?? null }
  })
})

/** Tries proxies from the service's side: asks an echo for the address of the caller, through the proxy. */
export class ProxyProbes extends Context.Service<
  ProxyProbes,
  {
    /**
     * Tries a proxy, for at most 9 seconds. A proxy of the own gateway is tried without the customer's login and traffic. Of
     * other providers, `asksVendor` also reads the address to expect.
     */
    readonly probe: (order: LiveOrder, asksVendor: boolean) => Effect.Effect<Probe>
    /** True when the echo answers without a proxy. */
    readonly echoAnswers: Effect.Effect<boolean>
  }
>()("app/orders/ProxyProbes") {
  static readonly layerNoDeps = Layer.effect(
    ProxyProbes,
    Effect.gen(function* () {
      const echo = yield* probeEcho
      const accessOf = yield* makeAccess
      const providers = yield* Providers

      const addresses = Effect.promise(() => {
        const host = hostOf(echo)
        return isIP(host) === 0 ? resolve(host).catch(() => []) : Promise.resolve([host])
      })

      /** An exit address reaches only addresses of its own version. */
      const isReachableFrom = Effect.fnUntraced(function* ({ expected_ip }: ProbeAccess) {
        if (expected_ip === null) return true
        return (yield* addresses).some((address) => isIPv4(address) === isIPv4(expected_ip))
      })

      const asked = Effect.fnUntraced(function* (through: ThroughProxy) {
        const answer = yield* getThroughProxy(through)
        const { ip } = yield* decodeAnswer(answer.body)
        return { ...answer, ip }
      })

      const probe = Effect.fn("ProxyProbes.probe")(function* (
        order: LiveOrder,
        asksVendor: boolean
      ): Effect.fn.Return<Probe> {
        const { host, port, protocol } = order
        const provider = providers.get(order.provider)
        if (provider === undefined) return { ...untried, error: "provider_down" }
        if (host === null || port === null) return { ...untried, error: "stopped" }
        const access = yield* accessOf(order, provider, asksVendor)
        if (typeof access === "string") return { ...untried, error: access }
        const { expected_ip, password, username } = access
        const isOwn = provider.isOwn === true
        if (isOwn && !(yield* isReachableFrom(access))) return { ...untried, expected_ip, error: "no_echo" }
        const isLoginSent = provider.probe !== undefined
        const through = { host, port, username, password, protocol, isOwn, isLoginSent, url: echo, within } as const
        const answered = yield* Effect.result(asked(through))
        if (Result.isFailure(answered)) {
          const failed = answered.failure
          if (failed._tag !== "ProxyFailed") return { ...untried, expected_ip, error: "no_echo" }
          const { connect_ms } = failed
          return { ...untried, expected_ip, connect_ms, error: errorOf(failed, order, isLoginSent) }
        }
        const { connect_ms, first_byte_ms, ip, tls_ms } = answered.success
        const exit_ip = canonical(ip)
        const error = isExpected(exit_ip, expected_ip) === false ? ("wrong_address" as const) : null
        return { vantage: "centre", connect_ms, tls_ms, first_byte_ms, exit_ip, expected_ip, error }
      })

      const echoAnswers = Effect.tryPromise((signal) => fetch(echo, { signal })).pipe(
        Effect.map(({ status }) => status === 200),
        Effect.timeoutOrElse({ duration: echoPatience, orElse: () => Effect.succeed(false) }),
        Effect.orElseSucceed(() => false)
      )

      return ProxyProbes.of({ probe, echoAnswers })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(LiveProxies.layer))
}
