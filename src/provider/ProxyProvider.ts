import type { DateTime, Duration, Effect } from "effect"
import type { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "./ProviderErrors.ts"

type ProxyKind = "datacenter" | "residential" | "mobile"
type ProxyProtocol = "HTTP" | "HTTPS" | "SOCKS5"
type IpVersion = "IPv4" | "IPv6"

/** One way to buy an offer. Prices: micro-dollars and whole stars, null when not sold in that currency. */
interface ProviderOption {
  readonly period_days: number
  readonly period_name: string
  readonly period_months: number
  /** Included traffic in GB (10^9 bytes); null is unlimited. */
  readonly bandwidth_gb: number | null
  readonly prices: { readonly USD: bigint | null; readonly STAR: bigint | null }
}

/** An offer as a provider sells it; `external_id` is the provider's own name for it. */
export interface ProviderOffer {
  readonly external_id: string
  readonly kind: ProxyKind
  readonly mode: string
  readonly ip_version: IpVersion
  readonly name: string
  readonly description: string | null
  readonly country_code: string
  readonly is_available: boolean
  readonly locations: ReadonlyArray<{ readonly region: string; readonly city: string }>
  readonly protocols: ReadonlyArray<ProxyProtocol>
  /** Price of one extra GB of traffic; null when no traffic can be added. */
  readonly price_per_gb: { readonly USD: bigint | null; readonly STAR: bigint | null }
  readonly options: ReadonlyArray<ProviderOption>
}

/** What to provision. `reference` is our order id: the provider's idempotency key where it knows one. */
export interface ProvisionRequest {
  readonly reference: string
  readonly external_id: string
  readonly kind: ProxyKind
  readonly country_code: string
  readonly ip_version: IpVersion
  readonly protocol: ProxyProtocol
  readonly city: string | null
  readonly period_days: number
  readonly period_months: number
  readonly bandwidth_gb: number | null
  readonly expires_at: DateTime.Utc
}

/** A proxy that a provider handed out. */
export interface ProviderProxy {
  readonly provider_proxy_id: string
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: string
  readonly protocol: ProxyProtocol
  readonly expires_at: DateTime.Utc
}

/** Traffic of one proxy in one hour (UTC), both directions, in bytes. */
export interface HourlyTraffic {
  readonly provider_proxy_id: string
  readonly hour: DateTime.Utc
  readonly bytes: bigint
}

/** What a provider can do; what it cannot is never asked of it. */
export interface Capabilities {
  /**
   * How long after a call at the latest `find` knows what became of it; null when the provider cannot be asked by
   * reference, so that an unknown outcome stays unknown.
   */
  readonly find_settles_after: Duration.Duration | null
  /** Whether it meters traffic by the hour. */
  readonly traffic: boolean
}

/**
 * The upstream that proxies are bought from. `provision` may be repeated with the
 * same reference only when its last outcome is known to be "not executed";
 * otherwise `find` tells what became of it.
 */
export interface ProxyProvider {
  readonly name: string
  readonly capabilities: Capabilities
  readonly offers: Effect.Effect<ReadonlyArray<ProviderOffer>, ProviderUnavailable>
  readonly provision: (
    request: ProvisionRequest
  ) => Effect.Effect<ProviderProxy, ProviderRefused | ProviderUnavailable | ProviderOutcomeUnknown>
  /** The proxy provisioned under a reference; undefined when there is none. */
  readonly find: (reference: string) => Effect.Effect<ProviderProxy | undefined, ProviderUnavailable>
  /** Ends a proxy; ending an ended one is no error. */
  readonly release: (provider_proxy_id: string) => Effect.Effect<void, ProviderUnavailable>
  /** Hourly traffic of the given proxies since a time; empty without the capability. */
  readonly traffic: (
    provider_proxy_ids: ReadonlyArray<string>,
    since: DateTime.Utc
  ) => Effect.Effect<ReadonlyArray<HourlyTraffic>, ProviderUnavailable>
}
