import type { DateTime, Duration, Effect } from "effect"
import type { OwnRule } from "../gateway/OwnRule.ts"
import type { RefusedConnections } from "../gateway/RefusedConnections.ts"
import type { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "./ProviderErrors.ts"

type ProxyKind = "datacenter" | "residential" | "mobile"
type ProxyProtocol = "HTTP" | "HTTPS" | "SOCKS5"
type IpVersion = "IPv4" | "IPv6"

/**
 * USD in micro-dollars (10^-6 dollar), STAR in whole stars. Null: not sold in this currency. The operator's price rules
 * apply to it (docs/shop.md), so a vendor's price is its cost.
 */
interface ProviderPrice {
  readonly USD: bigint | null
  readonly STAR: bigint | null
}

/** The cost of the operator, in micro-dollars (10^-6 dollar). Absent: unknown. */
interface ProviderCost {
  readonly cost_usd?: bigint
}

/** A period of an offer, with its price. */
interface ProviderOption extends ProviderCost {
  readonly period_days: number
  /** A display name, such as `3 months`. */
  readonly period_name: string
  /** Calendar months; 0 when the period is not a number of months. */
  readonly period_months: number
  /** Traffic that the price includes, in GB (10^9 bytes). Null: unlimited. */
  readonly bandwidth_gb: number | null
  readonly prices: ProviderPrice
}

/** An offer of a provider. */
export interface ProviderOffer {
  /** The provider's own id of the offer. It identifies the same offer in every sync. */
  readonly external_id: string
  readonly kind: ProxyKind
  /** `static` keeps its exit address; `rotating` changes it. */
  readonly mode: string
  readonly ip_version: IpVersion
  readonly name: string
  readonly description: string | null
  /** ISO 3166-1 alpha-2. */
  readonly country_code: string
  /** The internet service provider of the addresses. Null: the provider does not name it. */
  readonly isp: string | null
  /** False when the offer is out of stock. */
  readonly is_available: boolean
  readonly locations: ReadonlyArray<{ readonly region: string; readonly city: string }>
  readonly protocols: ReadonlyArray<ProxyProtocol>
  /** The price of one extra GB (10^9 bytes). Null in both currencies: no traffic can be added. */
  readonly price_per_gb: ProviderPrice & ProviderCost
  readonly options: ReadonlyArray<ProviderOption>
  /** True: not on sale; only running orders can be extended. */
  readonly is_renewal_only?: boolean
}

/** A proxy to buy: the offer, the option and the customer's choices. */
export interface ProvisionRequest {
  /** The id of the order. A provider that supports idempotency keys gets it as the key. */
  readonly reference: string
  /** The offer, as `ProviderOffer.external_id`. */
  readonly external_id: string
  readonly kind: ProxyKind
  readonly country_code: string
  readonly ip_version: IpVersion
  readonly protocol: ProxyProtocol
  /** Null: the customer chose no city. */
  readonly city: string | null
  readonly period_days: number
  /** Calendar months; 0 when the period is not a number of months. */
  readonly period_months: number
  /** The traffic limit in GB (10^9 bytes). Null: unlimited. */
  readonly bandwidth_gb: number | null
  /** The end that the customer paid for. A provider with its own clock may answer another end. */
  readonly expires_at: DateTime.Utc
}

/** The state of a proxy at its provider. Null: the provider does not know the value, unless a comment states otherwise. */
export interface ProviderProxy {
  /** The provider's id of the proxy. It never changes. */
  readonly provider_proxy_id: string
  /** False when the proxy no longer carries traffic: it is released, expired or taken back. */
  readonly is_live: boolean
  /** The address or name that the customer connects to. */
  readonly host: string
  readonly port: number
  /** The first login, when the proxy has several. */
  readonly username: string
  readonly password: string
  readonly protocol: ProxyProtocol
  readonly expires_at: DateTime.Utc
  /** Source addresses that need no password. Empty: clients authenticate with username and password. */
  readonly whitelisted_ips: ReadonlyArray<string>
  /** The traffic limit of the running cycle in GB (10^9 bytes). Null: unlimited. */
  readonly bandwidth_gb: number | null
  /** The traffic of the running cycle in GB (10^9 bytes), both directions together. */
  readonly used_gb: number | null
  /** The exit address: the address that destinations see. */
  readonly current_ip: string | null
  /** The device signature of a mobile proxy. */
  readonly signature: string | null
  /** The internet service provider of the exit address. */
  readonly isp: string | null
}

/** A changed proxy, and what the provider charged for the change. */
export interface ChangedProxy extends ProviderProxy, ProviderCost {}

/** A proxy change that adds time. */
export interface ProxyExtension {
  /** The id of the proxy change. A provider that supports idempotency keys gets it as the key. */
  readonly reference: string
  /** `append` moves the end of the running cycle. `restart` begins a full cycle immediately, with no traffic used. */
  readonly kind: "append" | "restart"
  /** The added time in days. */
  readonly period_days: number
  /** The added time in calendar months; 0 when it is not a number of months. */
  readonly period_months: number
  /** The end of the proxy after the change. */
  readonly expires_at: DateTime.Utc
  /** The traffic limit after the change in GB (10^9 bytes). Null: unlimited. */
  readonly bandwidth_gb: number | null
  /** The last known state of the proxy before the change. */
  readonly previous: { readonly expires_at: DateTime.Utc; readonly bandwidth_gb: number | null }
}

/** A proxy change that adds traffic to the running cycle. All amounts are in GB (10^9 bytes). */
export interface TrafficAddition {
  /** The id of the proxy change. A provider that supports idempotency keys gets it as the key. */
  readonly reference: string
  readonly kind: "traffic"
  readonly added_gb: number
  /** The traffic limit after the change. */
  readonly bandwidth_gb: number
  /** The last known state of the proxy before the change. */
  readonly previous: { readonly expires_at: DateTime.Utc; readonly bandwidth_gb: number }
}

/** A proxy change that gives another exit address. Time and traffic stay. */
export interface ProxyReplacement {
  /** The id of the proxy change. A provider that supports idempotency keys gets it as the key. */
  readonly reference: string
  readonly kind: "replace"
  /** False gives another login, in place of all present ones. */
  readonly keeps_logins: boolean
  /** True when the present address fails, so that it is sold to nobody for now. */
  readonly is_failing: boolean
}

/** A login for one probe of a proxy, and the address by which the proxy should leave. */
export interface ProbeAccess {
  readonly username: string
  readonly password: string
  /** Null: unknown. */
  readonly expected_ip: string | null
}

/** The clients that may use a proxy. An absent field keeps its current value. */
export interface ProxyAccess {
  /** Replaces the whitelist. Empty: clients authenticate with username and password. */
  readonly whitelisted_ips?: ReadonlyArray<string>
  /** Replaces all logins. The first one is the login that `ProviderProxy` shows. */
  readonly logins?: ReadonlyArray<{ readonly username: string; readonly password: string }>
}

/** `count` whole hours or days (UTC) that begin at `from`. The last one is still running. Each is one point. */
export interface TrafficWindow {
  readonly from: DateTime.Utc
  readonly unit: "hour" | "day"
  readonly count: number
}

/** Bytes in both directions, summed over all cycles with the same `point` and the same `ended_in`. */
export interface TrafficSum {
  /** The index of the point, from 0. -1: the time before the window, for cycles that were still running when it began. */
  readonly point: number
  /** The index of the point in which the cycle ended and its traffic counter went back to 0. Null: the cycle still runs. */
  readonly ended_in: number | null
  readonly bytes: bigint
}

/** The result of a call that costs money at the provider. */
type Bought<A = ProviderProxy> = Effect.Effect<A, ProviderRefused | ProviderUnavailable | ProviderOutcomeUnknown>
/** The result of a free change. The service may repeat the call at any time. */
type Changed = Effect.Effect<ProviderProxy, ProviderRefused | ProviderUnavailable>

/**
 * The port to an upstream provider: implement it to sell the proxies of another provider.
 *
 * Optional members are capabilities. Leave out a member that the provider does not support; the service then refuses the
 * operation to the customer and never calls it.
 *
 * Members that cost money: `provision`, `extend`, `addTraffic`, and `replacement.make` at some providers. The service
 * - calls each with a `reference`, and never runs two calls with the same reference at the same time;
 * - gives each call 30 seconds, and may interrupt it at any point. An interrupted call counts as
 *   `ProviderOutcomeUnknown`;
 * - repeats a call with the same reference only after `ProviderUnavailable`, or when a look-up proves that nothing
 *   happened;
 * - looks up every unknown outcome with `find` or `findChange`.
 *
 * When in doubt, fail with `ProviderOutcomeUnknown`: a call that fails with `ProviderUnavailable` may be bought again.
 *
 * All other members are free. The service may call them at any time, repeat them, and run them at the same time. A free
 * change that a customer requests has 10 seconds.
 */
export interface ProxyProvider {
  /** The name in `PROVIDERS`. The database stores it with each order: it never changes. */
  readonly name: string
  /**
   * The longest time between a call and the moment when `find` and `findChange` know its outcome. Null: the provider
   * offers no look-up; an unknown outcome then stays unknown until the service gives up and refunds the customer.
   */
  readonly find_settles_after: Duration.Duration | null
  /** The service refunds a purchase whose outcome stays unknown for this time. One hour when absent. */
  readonly delivers_within?: Duration.Duration
  /**
   * Lists every offer, including offers that are out of stock. The catalog sync calls it and gives it 30 seconds. When it
   * fails, the catalog keeps the last offers. An invalid offer is left out; the others stay.
   */
  readonly offers: Effect.Effect<ReadonlyArray<ProviderOffer>, ProviderUnavailable>
  /** The markup on its prices where no price rule sets one, in hundredths of a percent. Absent: none. */
  readonly markup?: number
  /** True: its offers are the operator's own data in the service's database, so an empty list is no error. */
  readonly isOwn?: boolean
  /** The number of proxies that can be bought now, by `external_id`. Absent: the provider does not tell. */
  readonly stock?: {
    /** Counts the stock; `Infinity` when there is no limit. The service calls it every second. */
    readonly count: Effect.Effect<ReadonlyMap<string, number>, ProviderUnavailable>
    /** The last count, minus the purchases of this process since then. Only reads memory, because each order calls it. */
    readonly known: (external_id: string) => number
  }
  /** The money that is left to spend at the provider, in micro-dollars (10^-6 dollar). Absent: it does not tell. */
  readonly balance?: Effect.Effect<bigint, ProviderUnavailable>
  /** Buys one proxy and returns it when it is ready for use. Costs money. */
  readonly provision: (request: ProvisionRequest) => Bought
  /**
   * Finds the proxy that was bought with a reference. Undefined only when the provider has no such purchase; fails with
   * `ProviderUnavailable` when the outcome is not known yet.
   */
  readonly find: (reference: string) => Effect.Effect<ProviderProxy | undefined, ProviderUnavailable>
  /**
   * Reads the current state of a proxy. Undefined only when the provider says that it has no such proxy; fails with
   * `ProviderUnavailable` when the state cannot be read.
   */
  readonly get: (provider_proxy_id: string) => Effect.Effect<ProviderProxy | undefined, ProviderUnavailable>
  /** Adds time and returns the changed proxy. Costs money. Needs `findChange` for unknown outcomes. */
  readonly extend?: (provider_proxy_id: string, extension: ProxyExtension) => Bought<ChangedProxy>
  /** Adds traffic to the running cycle and returns the changed proxy. Costs money. Needs `findChange` for unknown outcomes. */
  readonly addTraffic?: (provider_proxy_id: string, addition: TrafficAddition) => Bought<ChangedProxy>
  /**
   * Looks up a proxy change. Returns the proxy when the change was made, undefined when it was not; fails with
   * `ProviderUnavailable` when the outcome is not known yet.
   */
  readonly findChange?: (
    provider_proxy_id: string,
    change: ProxyExtension | TrafficAddition | ProxyReplacement
  ) => Effect.Effect<ProviderProxy | undefined, ProviderUnavailable>
  /** Moves a proxy to another exit address. Id, time and traffic stay. Needs `findChange`. */
  readonly replacement?: {
    /** The number of addresses that the proxy can move to now. */
    readonly spare: (provider_proxy_id: string) => Effect.Effect<number, ProviderUnavailable>
    /** Moves the proxy. Without `keeps_logins`, the present login and all others of the proxy end at once. */
    readonly make: (provider_proxy_id: string, replacement: ProxyReplacement) => Bought<ChangedProxy>
  }
  /**
   * Makes a login with which the service may reach `target`, a host and a port, through a proxy for a minute, whatever its
   * whitelist. Its traffic is not the customer's. Undefined when the proxy serves nobody now. Absent: probes use the login of
   * the order, and its traffic.
   */
  readonly probe?: (
    provider_proxy_id: string,
    target: string
  ) => Effect.Effect<ProbeAccess | undefined, ProviderUnavailable>
  /** Replaces the whitelist, the logins, or both. */
  readonly setAccess?: (provider_proxy_id: string, access: ProxyAccess) => Changed
  readonly setProtocol?: (provider_proxy_id: string, protocol: ProxyProtocol) => Changed
  /** The owner's rules about the destinations of a proxy. With an `allow`, all other destinations are closed. */
  readonly destinations?: {
    readonly read: (provider_proxy_id: string) => Effect.Effect<ReadonlyArray<OwnRule>, ProviderUnavailable>
    /** Replaces all rules, and ends open connections that they forbid. */
    readonly set: (provider_proxy_id: string, rules: ReadonlyArray<OwnRule>) => Changed
  }
  /** Gives a mobile proxy another exit address. Host, port and logins stay the same. */
  readonly rotate?: (provider_proxy_id: string) => Changed
  /** The device signatures that `setSignature` accepts. Empty when the provider has no `setSignature`. */
  readonly signatures: ReadonlyArray<string>
  /** Sets the device signature of a mobile proxy. */
  readonly setSignature?: (provider_proxy_id: string, signature: string) => Changed
  /**
   * Ends a proxy. When the provider cannot end one, changes its login so that no client can use it. Succeeds for a proxy
   * that has already ended. Absent: the provider supports neither.
   */
  readonly release?: (provider_proxy_id: string) => Effect.Effect<void, ProviderUnavailable>
  /**
   * Lists the references of proxies that the provider ended before their `expires_at`. The service then syncs their orders
   * immediately instead of at the next regular sync.
   */
  readonly endedEarly?: Effect.Effect<ReadonlyArray<string>, ProviderUnavailable>
  /** Lists why connections to a proxy were refused in the last 7 days, the newest first, at most 100 kinds of refusals. */
  readonly refusals?: (
    provider_proxy_id: string
  ) => Effect.Effect<ReadonlyArray<RefusedConnections>, ProviderUnavailable>
  /**
   * Sums the traffic of the given proxies in a window and, as point -1, before it. Fails with `ProviderUnavailable` when
   * the counters cannot be read.
   */
  readonly traffic?: (
    provider_proxy_ids: ReadonlyArray<string>,
    window: TrafficWindow
  ) => Effect.Effect<ReadonlyArray<TrafficSum>, ProviderUnavailable>
}
