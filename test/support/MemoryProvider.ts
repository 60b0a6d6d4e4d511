import { Context, DateTime, Duration, Effect, Layer } from "effect"
import type { OwnRule } from "../../src/gateway/OwnRule.ts"
import type { RefusedConnections } from "../../src/gateway/RefusedConnections.ts"
import { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "../../src/provider/ProviderErrors.ts"
import { Providers } from "../../src/provider/Providers.ts"
import type {
  ProviderOffer,
  ProviderProxy,
  ProvisionRequest,
  ProxyExtension,
  ProxyProvider,
  ProxyReplacement,
  TrafficAddition,
  TrafficSum
} from "../../src/provider/ProxyProvider.ts"
import { datacenter } from "./MemoryOffers.ts"

/**
 * Behaviour of a call of `provision`: `time_out` makes the proxy and then answers that the outcome is unknown; `drop`
 * answers the same without having made it; `hang` makes it and never answers; `{ after }` makes it after that time;
 * `{ until }` makes it when this effect has ended.
 */
export type Behaviour =
  | "succeed"
  | "refuse"
  | "unavailable"
  | "time_out"
  | "drop"
  | "hang"
  | { readonly after: Duration.Input }
  | { readonly until: Effect.Effect<void> }

/** A proxy of the provider in its present state. */
interface Lease {
  readonly request: ProvisionRequest
  proxy: ProviderProxy
  logins: ReadonlyArray<{ readonly username: string; readonly password: string }>
  /** References of the billed changes of this proxy. */
  readonly changes: Array<string>
  destinations: ReadonlyArray<OwnRule>
  released: boolean
}

/** Traffic of one proxy in one hour. The cycle is the running one unless `cycle_ended_at` is given. */
interface HourlyTraffic {
  readonly provider_proxy_id: string
  readonly hour: DateTime.Utc
  readonly bytes: bigint
  readonly cycle_ended_at?: DateTime.Utc
}

const hourMillis = 3_600_000

type Ability = keyof { [K in keyof ProxyProvider as undefined extends ProxyProvider[K] ? K : never]: true }

interface Options {
  readonly name?: string
  readonly offers?: ReadonlyArray<ProviderOffer>
  readonly find_settles_after?: Duration.Duration | null
  /** Abilities that this provider lacks. */
  readonly without?: ReadonlyArray<Ability>
}

const isMobile = ({ request }: Lease) => request.kind === "mobile"

/** A provider in memory that follows its script. Without a script it succeeds immediately. */
const make = ({ find_settles_after = Duration.minutes(2), name = "memory", ...options }: Options = {}) => {
  const script: Array<Behaviour> = []
  const changeScript: Array<Behaviour> = []
  const leases = new Map<string, Lease>()
  const usage: Array<HourlyTraffic> = []
  const refused: Array<RefusedConnections> = []
  const calls: Array<{ readonly operation: string; readonly argument: string }> = []
  let offers = options.offers ?? [datacenter]
  let isDown = false
  let left = Infinity
  let spare = 1

  const call = (operation: string, argument = "") =>
    Effect.suspend(() => {
      calls.push({ operation, argument })
      return isDown ? Effect.fail(new ProviderUnavailable({ provider: name, reason: "down" })) : Effect.void
    })

  const byId = (id: string) => [...leases.values()].find(({ proxy }) => proxy.provider_proxy_id === id)

  const lease = (request: ProvisionRequest): ProviderProxy => {
    const held = leases.get(request.reference)
    if (held !== undefined) return held.proxy
    const number = leases.size + 1
    const [username, password] = [`user${number}`, `secret${number}`]
    const mobile = request.kind === "mobile"
    const proxy: ProviderProxy = {
      provider_proxy_id: `${name}-${number}`,
      is_live: true,
      host: "192.0.2.10",
      port: 20_000 + number,
      username,
      password,
      protocol: request.protocol,
      expires_at: request.expires_at,
      whitelisted_ips: [],
      bandwidth_gb: request.bandwidth_gb,
      used_gb: 0,
      current_ip: mobile ? "198.51.100.1" : "192.0.2.10",
      signature: mobile ? "android" : null,
      isp: mobile ? "Memory Mobile" : null
    }
    leases.set(request.reference, {
      request,
      proxy,
      logins: [{ username, password }],
      changes: [],
      destinations: [],
      released: false
    })
    return proxy
  }

  const unknown = new ProviderOutcomeUnknown({ provider: name, reason: "the call timed out" })

  const behave = (behaviour: Behaviour, work: () => ProviderProxy): ReturnType<ProxyProvider["provision"]> => {
    if (behaviour === "refuse") return Effect.fail(new ProviderRefused({ provider: name, reason: "out of stock" }))
    if (behaviour === "unavailable") return Effect.fail(new ProviderUnavailable({ provider: name, reason: "down" }))
    if (behaviour === "drop") return Effect.fail(unknown)
    if (typeof behaviour === "object")
      return "until" in behaviour
        ? Effect.andThen(behaviour.until, Effect.sync(work))
        : Effect.delay(Effect.sync(work), behaviour.after)
    const proxy = work()
    if (behaviour === "time_out") return Effect.fail(unknown)
    return behaviour === "hang" ? Effect.never : Effect.succeed(proxy)
  }

  /** Changes a live proxy; refuses an unknown one. */
  const change = (operation: string, id: string, edit: (lease: Lease) => Partial<ProviderProxy>) =>
    Effect.flatMap(call(operation, id), () => {
      const held = byId(id)
      if (held === undefined || held.released)
        return Effect.fail(new ProviderRefused({ provider: name, reason: "there is no such proxy" }))
      held.proxy = { ...held.proxy, ...edit(held) }
      return Effect.succeed(held.proxy)
    })

  const bill = (id: string, wanted: ProxyExtension | TrafficAddition) => {
    const held = byId(id)
    if (held === undefined) throw new Error(`no proxy ${id}`)
    if (held.changes.includes(wanted.reference)) return held.proxy
    held.changes.push(wanted.reference)
    const { bandwidth_gb } = wanted
    const more = wanted.kind === "traffic" ? {} : { expires_at: wanted.expires_at }
    held.proxy = { ...held.proxy, ...more, bandwidth_gb, ...(wanted.kind === "restart" && { used_gb: 0 }) }
    return held.proxy
  }

  const replace = (id: string, { keeps_logins, reference }: ProxyReplacement) => {
    const held = byId(id)
    if (held === undefined) throw new Error(`no proxy ${id}`)
    if (held.changes.includes(reference)) return held.proxy
    held.changes.push(reference)
    if (keeps_logins) return (held.proxy = { ...held.proxy, current_ip: "192.0.2.99" })
    const login = { username: `${held.proxy.username}n`, password: `${held.proxy.password}n` }
    held.logins = [login]
    held.proxy = { ...held.proxy, ...login, host: "192.0.2.99" }
    return held.proxy
  }

  const billed = (operation: string) => (id: string, wanted: ProxyExtension | TrafficAddition) =>
    Effect.andThen(
      call(operation, id),
      Effect.suspend(() => behave(changeScript.shift() ?? "succeed", () => bill(id, wanted)))
    )

  const everything: Required<Omit<ProxyProvider, "balance" | "isOwn" | "markup" | "probe">> = {
    name,
    delivers_within: Duration.hours(1),
    find_settles_after,
    offers: Effect.map(call("offers"), () => offers),
    provision: (request) =>
      Effect.andThen(
        call("provision", request.reference),
        Effect.suspend(() => behave(script.shift() ?? "succeed", () => lease(request)))
      ),
    find: (reference) => Effect.map(call("find", reference), () => leases.get(reference)?.proxy),
    get: (id) => Effect.map(call("get", id), () => byId(id)?.proxy),
    extend: billed("extend"),
    addTraffic: billed("addTraffic"),
    replacement: {
      spare: (id) => Effect.map(call("spare", id), () => spare),
      make: (id, wanted) =>
        Effect.andThen(
          call("replace", id),
          Effect.suspend(() => behave(changeScript.shift() ?? "succeed", () => replace(id, wanted)))
        )
    },
    findChange: (id, { reference }) =>
      Effect.map(call("findChange", reference), () => {
        const held = byId(id)
        return held?.changes.includes(reference) === true ? held.proxy : undefined
      }),
    setAccess: (id, { logins, whitelisted_ips }) =>
      change("setAccess", id, (held) => {
        if (logins !== undefined) held.logins = logins
        return { ...(whitelisted_ips && { whitelisted_ips }), ...logins?.[0] }
      }),
    destinations: {
      read: (id) => Effect.map(call("destinations", id), () => byId(id)?.destinations ?? []),
      set: (id, rules) =>
        change("destinations", id, (held) => {
          held.destinations = rules
          return {}
        })
    },
    setProtocol: (id, protocol) => change("setProtocol", id, () => ({ protocol })),
    rotate: (id) =>
      change("rotate", id, ({ proxy }) => ({
        current_ip: (proxy.current_ip ?? "").replace(/\d+$/, (last) => String(Number(last) + 1))
      })),
    signatures: ["android", "ios", "linux", "windows"],
    setSignature: (id, signature) => change("setSignature", id, (held) => (isMobile(held) ? { signature } : {})),
    release: (id) =>
      Effect.map(call("release", id), () => {
        const held = byId(id)
        if (held === undefined) return
        held.released = true
        held.proxy = { ...held.proxy, is_live: false, current_ip: null, signature: null }
      }),
    endedEarly: Effect.flatMap(DateTime.now, (now) =>
      Effect.sync(() =>
        [...leases]
          .filter(([, { proxy }]) => !proxy.is_live && DateTime.isGreaterThan(proxy.expires_at, now))
          .map(([reference]) => reference)
      )
    ),
    stock: {
      count: Effect.sync(() => new Map(offers.map(({ external_id }) => [external_id, left]))),
      known: () => left
    },
    refusals: (id) => Effect.map(call("refusals", id), () => refused),
    traffic: (ids, { from, unit }) =>
      Effect.map(call("traffic", ids.join()), () => {
        const width = unit === "hour" ? hourMillis : 24 * hourMillis
        const point = (at: DateTime.Utc) =>
          Math.max(-1, Math.floor((at.epochMilliseconds - from.epochMilliseconds) / width))
        return usage
          .filter(({ provider_proxy_id }) => ids.includes(provider_proxy_id))
          .map(({ bytes, cycle_ended_at, hour }): TrafficSum => ({
            point: point(hour),
            ended_in: cycle_ended_at === undefined ? null : point(cycle_ended_at),
            bytes
          }))
      })
  }

  const provider: ProxyProvider = { ...everything }
  for (const ability of options.without ?? []) Reflect.deleteProperty(provider, ability)

  return {
    provider,
    /** Sets the behaviour of the next calls of `provision`, in order. */
    next: (...behaviours: ReadonlyArray<Behaviour>) => void script.push(...behaviours),
    /** Sets the behaviour of the next calls of `extend` and `addTraffic`, in order. */
    nextChange: (...behaviours: ReadonlyArray<Behaviour>) => void changeScript.push(...behaviours),
    /** While down, every call answers `ProviderUnavailable`. */
    setDown: (down: boolean) => void (isDown = down),
    /** Sets the number of addresses that a proxy can move to. */
    setSpare: (next: number) => void (spare = next),
    setStock: (next: number) => void (left = next),
    setOffers: (next: ReadonlyArray<ProviderOffer>) => void (offers = next),
    /** Changes a proxy without the service's knowledge. */
    edit: (reference: string, fields: Partial<ProviderProxy>) => {
      const held = leases.get(reference)
      if (held !== undefined) held.proxy = { ...held.proxy, ...fields }
    },
    /** Traffic that `traffic` reports. */
    usage,
    /** Refusals that `refusals` reports of every proxy. */
    refused,
    /** Every proxy that was made, by reference. */
    leases: leases as ReadonlyMap<string, Lease>,
    /** The number of calls of an operation, for one argument or in total. */
    count: (operation: keyof ProxyProvider, argument?: string) =>
      calls.filter((call) => call.operation === operation && (argument === undefined || call.argument === argument))
        .length
  }
}

export class MemoryProvider extends Context.Service<MemoryProvider, ReturnType<typeof make>>()("test/MemoryProvider") {
  static make = make

  /** The provider, and a `Providers` of this provider only. */
  static layerOf = (options?: Options) =>
    Layer.effectContext(
      Effect.sync(() => {
        const memory = make(options)
        return Context.make(MemoryProvider, memory).pipe(Context.add(Providers, Providers.from([memory.provider])))
      })
    )

  static readonly layer = this.layerOf()
}
