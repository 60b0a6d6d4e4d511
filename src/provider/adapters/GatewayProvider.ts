import { Cause, DateTime, Duration, Effect, Option } from "effect"
import { GatewayProxies } from "../../gateway/GatewayProxies.ts"
import { DeviceSignature, type GatewayProxy, GatewayProxyId } from "../../gateway/GatewayProxy.ts"
import type { OwnRule } from "../../gateway/OwnRule.ts"
import { probeLogin } from "../../gateway/ProbeLogin.ts"
import { ProviderOutcomeUnknown, ProviderRefused, ProviderUnavailable } from "../ProviderErrors.ts"
import type {
  ProviderProxy,
  ProvisionRequest,
  ProxyAccess,
  ProxyExtension,
  ProxyProvider,
  ProxyReplacement,
  TrafficAddition,
  TrafficWindow
} from "../ProxyProvider.ts"

const name = "gateway"

const bytesPerGb = 1_000_000_000

const toBytes = (gb: number): bigint => BigInt(Math.round(gb * bytesPerGb))
const toLimit = (gb: number | null): bigint | null => (gb === null ? null : toBytes(gb))

/** Reports a database failure as a provider's failure: the state of the gateway is in the service's own database. */
const failingAs =
  <E>(Failure: new (fields: { readonly provider: string; readonly reason: string }) => E) =>
  <A, E1, R>(effect: Effect.Effect<A, E1, R>) =>
    Effect.catchDefect(effect, (defect) =>
      Effect.andThen(
        Effect.logError("Cannot use the gateway: its database failed; check the database", Cause.die(defect)),
        Effect.fail(new Failure({ provider: name, reason: "the gateway's database failed" }))
      )
    )

const orUnavailable = failingAs(ProviderUnavailable)
const orUnknown = failingAs(ProviderOutcomeUnknown)

interface Refusal {
  readonly detail: string
}

/** Makes a refusal of the gateway final: the service does not repeat the call. */
const refused = ({ detail }: Refusal) => new ProviderRefused({ provider: name, reason: detail })
const orRefused = Effect.mapError(refused)

const away = ({ detail }: Refusal) => Effect.fail(new ProviderUnavailable({ provider: name, reason: detail }))

/** Converts a proxy of the gateway to the provider's form. */
type ToProviderProxy = (proxy: GatewayProxy) => Effect.Effect<ProviderProxy>

const makeToProviderProxy = (proxies: GatewayProxies["Service"]): ToProviderProxy =>
  Effect.fnUntraced(function* (proxy) {
    const is_live = proxy.isLive(yield* DateTime.now)
    const [{ password, username }] = proxy.logins
    return {
      provider_proxy_id: proxy.id,
      is_live,
      host: proxies.host,
      port: proxy.port,
      username,
      password,
      protocol: proxy.protocol,
      expires_at: proxy.expires_at,
      whitelisted_ips: proxy.whitelist,
      bandwidth_gb: proxy.limit_bytes === null ? null : Number(proxy.limit_bytes) / bytesPerGb,
      used_gb: Number(proxy.used_bytes) / bytesPerGb,
      current_ip: is_live ? yield* proxies.currentIp(proxy) : null,
      signature: is_live ? proxy.signature : null,
      isp: null
    }
  })

/** The calls that cost money. The gateway executes each reference once, also when a call is repeated. */
const makePurchases = (proxies: GatewayProxies["Service"], toProviderProxy: ToProviderProxy) => {
  const bought = <E extends Refusal>(purchase: Effect.Effect<GatewayProxy, E | ProviderUnavailable>) =>
    purchase.pipe(
      Effect.flatMap(toProviderProxy),
      Effect.mapError((error) => (error instanceof ProviderUnavailable ? error : refused(error))),
      orUnknown
    )
  return {
    provision: Effect.fn("GatewayProvider.provision")(
      ({ bandwidth_gb, expires_at, external_id, protocol, reference }: ProvisionRequest) => {
        const limit_bytes = toLimit(bandwidth_gb)
        return proxies
          .open({ reference, article: external_id, protocol, limit_bytes, expires_at })
          .pipe(Effect.catchTag("GatewayAway", away), bought)
      }
    ),
    extend: Effect.fn("GatewayProvider.extend")(
      (id: string, { bandwidth_gb, expires_at, kind, reference }: ProxyExtension) =>
        proxies.extend(GatewayProxyId.make(id), { reference, kind, expires_at, limit_bytes: toLimit(bandwidth_gb) }),
      bought
    ),
    addTraffic: Effect.fn("GatewayProvider.addTraffic")(
      (id: string, { added_gb, reference }: TrafficAddition) =>
        proxies.addTraffic(GatewayProxyId.make(id), { reference, bytes: toBytes(added_gb) }),
      bought
    ),
    replacement: {
      spare: Effect.fn("GatewayProvider.spare")(
        (id: string) => proxies.spareExits(GatewayProxyId.make(id)),
        Effect.orElseSucceed(() => 0),
        orUnavailable
      ),
      make: Effect.fn("GatewayProvider.replace")(
        (id: string, replacement: ProxyReplacement) => proxies.replace(GatewayProxyId.make(id), replacement),
        bought
      )
    }
  }
}

const makeLookups = (proxies: GatewayProxies["Service"], toProviderProxy: ToProviderProxy) => {
  const known = (id: string) => Effect.option(proxies.get(GatewayProxyId.make(id)))
  const asProviderProxy = Effect.flatMap((found: Option.Option<GatewayProxy>) =>
    Option.isSome(found) ? toProviderProxy(found.value) : Effect.undefined
  )
  return {
    find: Effect.fn("GatewayProvider.find")(
      (reference: string) => proxies.find(reference),
      asProviderProxy,
      orUnavailable
    ),
    get: Effect.fn("GatewayProvider.get")(known, asProviderProxy, orUnavailable),
    probe: Effect.fn("GatewayProvider.probe")(function* (id: string, target: string) {
      const proxy = Option.getOrUndefined(yield* known(id))
      const now = yield* DateTime.now
      if (proxy === undefined || !proxy.isLive(now) || proxy.suspended_at !== null) return undefined
      return { ...probeLogin(proxy, target, DateTime.toEpochMillis(now)), expected_ip: proxy.exit_ip }
    }, orUnavailable),
    findChange: Effect.fn("GatewayProvider.findChange")(
      function* (id: string, { reference }: ProxyExtension | TrafficAddition | ProxyReplacement) {
        return Option.filter(yield* known(id), ({ change_reference }) => change_reference === reference)
      },
      asProviderProxy,
      orUnavailable
    ),
    traffic: Effect.fn("GatewayProvider.traffic")((ids: ReadonlyArray<string>, window: TrafficWindow) => {
      const own = ids.map((id) => GatewayProxyId.make(id))
      return proxies.usage(own, window)
    }, orUnavailable),
    refusals: Effect.fn("GatewayProvider.refusals")(
      (id: string) => proxies.refusals(GatewayProxyId.make(id)),
      orUnavailable
    )
  }
}

const makeChanges = (proxies: GatewayProxies["Service"], toProviderProxy: ToProviderProxy) => {
  const changed = <E extends Refusal>(change: Effect.Effect<GatewayProxy, E>) =>
    change.pipe(Effect.flatMap(toProviderProxy), orRefused, orUnavailable)
  return {
    setAccess: Effect.fn("GatewayProvider.setAccess")(
      (id: string, { logins, whitelisted_ips }: ProxyAccess) =>
        proxies.setUsers(GatewayProxyId.make(id), {
          ...(whitelisted_ips && { whitelist: whitelisted_ips }),
          ...(logins && { logins })
        }),
      changed
    ),
    setProtocol: Effect.fn("GatewayProvider.setProtocol")(
      (id: string, protocol: GatewayProxy["protocol"]) => proxies.setProtocol(GatewayProxyId.make(id), protocol),
      changed
    ),
    destinations: {
      read: Effect.fn("GatewayProvider.destinations")(
        (id: string) => proxies.get(GatewayProxyId.make(id)),
        Effect.map(({ destinations }) => destinations),
        Effect.mapError(({ detail }) => new ProviderUnavailable({ provider: name, reason: detail })),
        orUnavailable
      ),
      set: Effect.fn("GatewayProvider.setDestinations")(
        (id: string, rules: ReadonlyArray<OwnRule>) => proxies.setDestinations(GatewayProxyId.make(id), rules),
        changed
      )
    },
    rotate: Effect.fn("GatewayProvider.rotate")((id: string) => proxies.rotate(GatewayProxyId.make(id)), changed),
    setSignature: Effect.fn("GatewayProvider.setSignature")(
      (id: string, signature: string) => proxies.setSignature(GatewayProxyId.make(id), signature),
      changed
    ),
    release: Effect.fn("GatewayProvider.release")(
      (id: string) => proxies.close(GatewayProxyId.make(id)),
      Effect.asVoid,
      Effect.catchTag("GatewayProxyNotFound", () => Effect.void),
      orUnavailable
    )
  }
}

/** The embedded gateway as a provider. It supports every operation, and remembers the references of purchases and changes. */
export const make = Effect.gen(function* () {
  const proxies = yield* GatewayProxies
  const toProviderProxy = makeToProviderProxy(proxies)
  return {
    name,
    isOwn: true,
    find_settles_after: Duration.zero,
    signatures: DeviceSignature.literals,
    offers: orUnavailable(proxies.offers),
    stock: { count: orUnavailable(proxies.countStock), known: proxies.knownStock },
    endedEarly: orUnavailable(proxies.closedEarly),
    ...makePurchases(proxies, toProviderProxy),
    ...makeLookups(proxies, toProviderProxy),
    ...makeChanges(proxies, toProviderProxy)
  } satisfies ProxyProvider
})
