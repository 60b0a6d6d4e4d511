import { Context, type DateTime, Duration, Effect, Layer } from "effect"
import { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "../../src/provider/ProviderErrors.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type {
  Capabilities,
  HourlyTraffic,
  ProviderOffer,
  ProviderProxy,
  ProvisionRequest,
  ProxyProvider
} from "../../src/provider/ProxyProvider.ts"

/**
 * What a call of `provision` does: `time_out` makes the proxy and then answers that the outcome is
 * unknown; `drop` answers the same without having made it; `hang` makes it and never answers;
 * `{ after }` makes it after so long.
 */
export type Behaviour =
  | "succeed"
  | "refuse"
  | "unavailable"
  | "time_out"
  | "drop"
  | "hang"
  | { readonly after: Duration.Input }

/** A proxy that was handed out, and whether it still is. */
interface Lease {
  readonly request: ProvisionRequest
  readonly proxy: ProviderProxy
  released: boolean
}

interface Options {
  readonly name?: string
  readonly offers?: ReadonlyArray<ProviderOffer>
  readonly capabilities?: Partial<Capabilities>
}

/** A provider in memory that does as it is told. Without instructions it works at once. */
const make = ({ capabilities, name = "memory", offers: first = [datacenter] }: Options = {}) => {
  const script: Array<Behaviour> = []
  const leases = new Map<string, Lease>()
  const usage: Array<HourlyTraffic> = []
  const calls: Array<{ readonly operation: string; readonly argument: string }> = []
  let offers = first
  let isDown = false

  const call = (operation: string, argument = "") =>
    Effect.suspend(() => {
      calls.push({ operation, argument })
      return isDown ? Effect.fail(new ProviderUnavailable({ provider: name, reason: "down" })) : Effect.void
    })

  const lease = (request: ProvisionRequest): ProviderProxy => {
    const held = leases.get(request.reference)
    if (held !== undefined) return held.proxy
    const proxy: ProviderProxy = {
      provider_proxy_id: `${name}-${leases.size + 1}`,
      host: "192.0.2.10",
      port: 20_001 + leases.size,
      username: `user${leases.size + 1}`,
      password: `secret${leases.size + 1}`,
      protocol: request.protocol,
      expires_at: request.expires_at
    }
    leases.set(request.reference, { request, proxy, released: false })
    return proxy
  }

  const unknown = new ProviderOutcomeUnknown({ provider: name, reason: "the call timed out" })

  const behave = (behaviour: Behaviour, request: ProvisionRequest): ReturnType<ProxyProvider["provision"]> => {
    if (behaviour === "refuse") return Effect.fail(new ProviderRefused({ provider: name, reason: "out of stock" }))
    if (behaviour === "unavailable") return Effect.fail(new ProviderUnavailable({ provider: name, reason: "down" }))
    if (behaviour === "drop") return Effect.fail(unknown)
    if (typeof behaviour === "object")
      return Effect.delay(
        Effect.sync(() => lease(request)),
        behaviour.after
      )
    const proxy = lease(request)
    if (behaviour === "time_out") return Effect.fail(unknown)
    return behaviour === "hang" ? Effect.never : Effect.succeed(proxy)
  }

  const provider: ProxyProvider = {
    name,
    capabilities: {
      find_settles_after: Duration.minutes(2),
      traffic: true,
      ...capabilities
    },
    offers: Effect.map(call("offers"), () => offers),
    provision: (request) =>
      Effect.andThen(
        call("provision", request.reference),
        Effect.suspend(() => behave(script.shift() ?? "succeed", request))
      ),
    find: (reference) => Effect.map(call("find", reference), () => leases.get(reference)?.proxy),
    release: (id) =>
      Effect.map(call("release", id), () => {
        for (const lease of leases.values()) if (lease.proxy.provider_proxy_id === id) lease.released = true
      }),
    traffic: (ids, since: DateTime.Utc) =>
      Effect.map(call("traffic", ids.join()), () =>
        usage.filter(
          ({ hour, provider_proxy_id }) =>
            ids.includes(provider_proxy_id) && hour.epochMilliseconds >= since.epochMilliseconds
        )
      )
  }

  return {
    provider,
    /** What the next calls of `provision` do, in order. */
    next: (...behaviours: ReadonlyArray<Behaviour>) => void script.push(...behaviours),
    /** While down, every call answers `ProviderUnavailable`. */
    setDown: (down: boolean) => void (isDown = down),
    setOffers: (next: ReadonlyArray<ProviderOffer>) => void (offers = next),
    /** Traffic that `traffic` reports. */
    usage,
    /** Every proxy ever made, by reference. */
    leases: leases as ReadonlyMap<string, Lease>,
    /** How often an operation was called, for one argument or in all. */
    count: (operation: keyof ProxyProvider, argument?: string) =>
      calls.filter((call) => call.operation === operation && (argument === undefined || call.argument === argument))
        .length
  }
}

export class MemoryProvider extends Context.Service<MemoryProvider, ReturnType<typeof make>>()("test/MemoryProvider") {
  static make = make

  /** The provider, and `Providers` with it alone. */
  static layerOf = (options?: Options) =>
    Layer.effectContext(
      Effect.sync(() => {
        const memory = make(options)
        return Context.make(MemoryProvider, memory).pipe(Context.add(Providers, Providers.from([memory.provider])))
      })
    )

  static readonly layer = this.layerOf()
}

const month = { period_days: 30, period_name: "1 month", period_months: 1, bandwidth_gb: null }

/** 1.50 USD or 75 stars a month; three months are cheaper. */
export const datacenter: ProviderOffer = {
  external_id: "dc-us",
  kind: "datacenter",
  mode: "static",
  ip_version: "IPv4",
  name: "Datacenter, United States",
  description: "Static addresses of a hosting provider",
  country_code: "US",
  is_available: true,
  locations: [],
  protocols: ["HTTP", "SOCKS5"],
  price_per_gb: { USD: null, STAR: null },
  options: [
    { ...month, prices: { USD: 1_500_000n, STAR: 75n } },
    {
      period_days: 90,
      period_name: "3 months",
      period_months: 3,
      bandwidth_gb: null,
      prices: { USD: 4_000_000n, STAR: 200n }
    }
  ]
}

/** 3.50 USD a month with 50 GB, not sold for stars; 0.60 USD for one more GB. */
export const residential: ProviderOffer = {
  ...datacenter,
  external_id: "isp-de",
  kind: "residential",
  name: "Residential ISP, Germany",
  country_code: "DE",
  locations: [
    { region: "Bavaria", city: "Munich" },
    { region: "Berlin", city: "Berlin" }
  ],
  price_per_gb: { USD: 600_000n, STAR: 30n },
  options: [{ ...month, bandwidth_gb: 50, prices: { USD: 3_500_000n, STAR: null } }]
}

/** Three tariffs; out of stock. */
export const mobile: ProviderOffer = {
  ...datacenter,
  external_id: "mobile-gb",
  kind: "mobile",
  mode: "rotating",
  name: "Mobile 4G, United Kingdom",
  description: null,
  country_code: "GB",
  is_available: false,
  options: [
    {
      period_days: 1,
      period_name: "1 day",
      period_months: 0,
      bandwidth_gb: 5,
      prices: { USD: 2_000_000n, STAR: 100n }
    },
    {
      period_days: 7,
      period_name: "1 week",
      period_months: 0,
      bandwidth_gb: 20,
      prices: { USD: 9_000_000n, STAR: 450n }
    },
    { ...month, prices: { USD: 30_000_000n, STAR: 1500n } }
  ]
}
