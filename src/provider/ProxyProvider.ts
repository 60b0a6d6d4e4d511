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
  /** The internet provider whose addresses it sells; null when the vendor names none. */
  readonly isp: string | null
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

/**
 * A proxy as its provider has it. What a provider cannot say is null; for `bandwidth_gb`, the limit of the running
 * cycle, null is unlimited.
 */
export interface ProviderProxy {
  readonly provider_proxy_id: string
  /** False once it carries no traffic any more: released, expired or taken back. */
  readonly is_live: boolean
  readonly host: string
  readonly port: number
  /** The first login, when there are several. */
  readonly username: string
  readonly password: string
  readonly protocol: ProxyProtocol
  readonly expires_at: DateTime.Utc
  /** Source addresses that need no password; empty: username and password decide. */
  readonly whitelisted_ips: ReadonlyArray<string>
  readonly bandwidth_gb: number | null
  /** Traffic of the running cycle in GB (10^9 bytes). */
  readonly used_gb: number | null
  /** The address that destinations see. */
  readonly current_ip: string | null
  /** Device signature, of mobile proxies. */
  readonly signature: string | null
  readonly isp: string | null
}

/**
 * More time for a proxy. `append` moves the end of the running cycle; `restart` begins a cycle at once, with all its
 * time and traffic. `reference` names the change; `previous` is the proxy before it, as it was last known.
 */
export interface ProxyExtension {
  readonly reference: string
  readonly kind: "append" | "restart"
  readonly period_days: number
  readonly period_months: number
  readonly expires_at: DateTime.Utc
  /** The traffic limit after the change in GB; null is unlimited. */
  readonly bandwidth_gb: number | null
  readonly previous: { readonly expires_at: DateTime.Utc; readonly bandwidth_gb: number | null }
}

/** More traffic for the running cycle: `added_gb`, which makes `bandwidth_gb`. */
export interface TrafficAddition {
  readonly reference: string
  readonly kind: "traffic"
  readonly added_gb: number
  readonly bandwidth_gb: number
  readonly previous: { readonly expires_at: DateTime.Utc; readonly bandwidth_gb: number }
}

/** Who may use a proxy; what is left out stays as it is. */
export interface ProxyAccess {
  readonly whitelisted_ips?: ReadonlyArray<string>
  readonly logins?: ReadonlyArray<{ readonly username: string; readonly password: string }>
}

/** Whole hours or days (UTC): `count` points from `from` on, of which the last is running. */
export interface TrafficWindow {
  readonly from: DateTime.Utc
  readonly unit: "hour" | "day"
  readonly count: number
}

/** Bytes that some proxies passed together in one point, both directions, in cycles that stopped at the same point. */
export interface TrafficSum {
  /** -1 is all the time before the window, of cycles that ran when it opened. */
  readonly point: number
  /** The point in which their cycle ended, so that its counter stands for them no longer; null: it runs. */
  readonly ended_in: number | null
  readonly bytes: bigint
}

/** What a purchase or a billed change answers. */
type Bought = Effect.Effect<ProviderProxy, ProviderRefused | ProviderUnavailable | ProviderOutcomeUnknown>
/** What a free change answers; it may be repeated at will. */
type Changed = Effect.Effect<ProviderProxy, ProviderRefused | ProviderUnavailable>

/**
 * The upstream that proxies are bought from. A method that is absent the provider cannot do, and is never asked to.
 *
 * What costs money there (`provision`, `extend`, `addTraffic`) may be repeated with the same reference only when its
 * last outcome is known to be "not executed"; otherwise `find` and `findChange` tell what became of it.
 */
export interface ProxyProvider {
  readonly name: string
  /**
   * How long after a call at the latest `find` and `findChange` know what became of it; null when the provider cannot
   * be asked, so that an unknown outcome stays unknown.
   */
  readonly find_settles_after: Duration.Duration | null
  /** How long it may take to hand out what was bought, before the order is refunded; an hour when absent. */
  readonly delivers_within?: Duration.Duration
  readonly offers: Effect.Effect<ReadonlyArray<ProviderOffer>, ProviderUnavailable>
  /** The most proxies that can be bought at this moment, of all offers together. Absent: the provider does not say. */
  readonly stock?: {
    /** Counts them; infinite when there is no bound. Called every second. */
    readonly count: Effect.Effect<number, ProviderUnavailable>
    /** The last count, less what was bought since. */
    readonly known: Effect.Effect<number>
  }
  readonly provision: (request: ProvisionRequest) => Bought
  /** The proxy provisioned under a reference; undefined when there is none. */
  readonly find: (reference: string) => Effect.Effect<ProviderProxy | undefined, ProviderUnavailable>
  /** A proxy as it is at this moment; undefined when the provider does not know it (any more). */
  readonly get: (provider_proxy_id: string) => Effect.Effect<ProviderProxy | undefined, ProviderUnavailable>
  readonly extend?: (provider_proxy_id: string, extension: ProxyExtension) => Bought
  readonly addTraffic?: (provider_proxy_id: string, addition: TrafficAddition) => Bought
  /** The proxy when the change has been made to it; undefined when it has not. */
  readonly findChange?: (
    provider_proxy_id: string,
    change: ProxyExtension | TrafficAddition
  ) => Effect.Effect<ProviderProxy | undefined, ProviderUnavailable>
  readonly setAccess?: (provider_proxy_id: string, access: ProxyAccess) => Changed
  readonly setProtocol?: (provider_proxy_id: string, protocol: ProxyProtocol) => Changed
  /** Gives a mobile proxy another exit address; host, port and logins stay. */
  readonly rotate?: (provider_proxy_id: string) => Changed
  /** The device signatures that `setSignature` takes; empty without it. */
  readonly signatures: ReadonlyArray<string>
  readonly setSignature?: (provider_proxy_id: string, signature: string) => Changed
  /**
   * Ends a proxy, or everybody's access to one that the provider lets run out; ending an ended one is no error.
   * Absent: the provider can do neither.
   */
  readonly release?: (provider_proxy_id: string) => Effect.Effect<void, ProviderUnavailable>
  /** References of proxies that it ended before their time and says so unasked: their orders are synced at once. */
  readonly endedEarly?: Effect.Effect<ReadonlyArray<string>, ProviderUnavailable>
  /** What the given proxies passed together in a window, and in their cycles before it. */
  readonly traffic?: (
    provider_proxy_ids: ReadonlyArray<string>,
    window: TrafficWindow
  ) => Effect.Effect<ReadonlyArray<TrafficSum>, ProviderUnavailable>
}
