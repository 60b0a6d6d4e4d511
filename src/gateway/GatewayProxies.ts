import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { Atomically } from "../platform/Atomically.ts"
import { GatewayHost } from "../platform/GatewayHost.ts"
import { ownAddress } from "./ExitAddresses.ts"
import { GatewayAccess } from "./GatewayAccess.ts"
import { exitsFor, GatewayExitAddresses, GatewayPorts } from "./GatewayConfig.ts"
import { GatewayAway, GatewayOutOfStock, GatewayProxyNotFound } from "./GatewayErrors.ts"
import { type GatewayOffer, gatewayOffers } from "./GatewayOffers.ts"
import { GatewayProxiesRepo } from "./GatewayProxiesRepo.ts"
import { GatewayProxy, type GatewayProxyId } from "./GatewayProxy.ts"
import { GatewayTerms } from "./GatewayTerms.ts"
import { HeldPortsRepo } from "./HeldPortsRepo.ts"
import { UsageRepo, type UsageSum, type UsageWindow } from "./UsageRepo.ts"

/** What a new proxy is opened with; `reference` makes opening it again harmless. */
export interface GatewayProxyRequest {
  readonly reference: string
  readonly kind: GatewayProxy["kind"]
  readonly country_code: string
  readonly ip_version: GatewayProxy["ip_version"]
  readonly protocol: GatewayProxy["protocol"]
  readonly limit_bytes: bigint | null
  readonly expires_at: DateTime.Utc
}

/** Tries to get a port while the gateways hold none: they take more, or start again, within moments. */
const turns = 30
const turnPause = "100 millis"

/** Safe in a URL, so that credentials can be pasted into one. */
const randomHex = (bytes: number) => Hex.encode(SecureRandom.randomBytesUnsafe(bytes))

/** The proxies of the embedded gateway. Every change reaches the running gateway processes by itself. */
export class GatewayProxies extends Context.Service<
  GatewayProxies,
  GatewayAccess["Service"] &
    GatewayTerms["Service"] & {
      /** The address customers connect to; the port is the proxy's own. */
      readonly host: string
      /** What can be bought, with `is_available` from the free ports and exit addresses. */
      readonly offers: Effect.Effect<ReadonlyArray<GatewayOffer>>
      /**
       * Opens a proxy on a port that the running gateways hold; while they hold none that is free, waits for one for 3
       * seconds.
       */
      readonly open: (request: GatewayProxyRequest) => Effect.Effect<GatewayProxy, GatewayOutOfStock | GatewayAway>
      readonly find: (reference: string) => Effect.Effect<Option.Option<GatewayProxy>>
      readonly get: (id: GatewayProxyId) => Effect.Effect<GatewayProxy, GatewayProxyNotFound>
      /** The address destinations see, where it is known. */
      readonly currentIp: (proxy: GatewayProxy) => Effect.Effect<string | null>
      /** Closes for ever and at once; closing again changes nothing. */
      readonly close: (id: GatewayProxyId) => Effect.Effect<GatewayProxy, GatewayProxyNotFound>
      /** References of proxies that were closed before their end, for whatever reason. */
      readonly closedEarly: Effect.Effect<ReadonlyArray<string>>
      /** What some proxies passed together, by the points of a window and by how long their counters stand. */
      readonly usage: (
        ids: ReadonlyArray<GatewayProxyId>,
        window: UsageWindow
      ) => Effect.Effect<ReadonlyArray<UsageSum>>
    }
>()("app/gateway/GatewayProxies") {
  static readonly layerNoDeps = Layer.effect(
    GatewayProxies,
    Effect.gen(function* () {
      const host = yield* GatewayHost
      const ports = yield* GatewayPorts
      const exitAddresses = yield* GatewayExitAddresses
      const repo = yield* GatewayProxiesRepo
      const held = yield* HeldPortsRepo
      const access = yield* GatewayAccess
      const terms = yield* GatewayTerms
      const { sums: usage } = yield* UsageRepo
      const atomically = yield* Atomically

      const offers = Effect.gen(function* () {
        const { has_unsold, is_served } = yield* held.supply(ports)
        // While no gateway is connected, as at the start, orders wait for one.
        const hasFreePort = is_served ? Option.isSome(yield* held.freePort(ports)) : has_unsold
        return gatewayOffers({ hasFreePort, exitAddresses, held: yield* repo.heldExitIps })
      }).pipe(Effect.withSpan("GatewayProxies.offers"))

      const exitIpFor = Effect.fnUntraced(function* (request: GatewayProxyRequest) {
        if (exitAddresses.length === 0) return null
        const free = yield* repo.freeExitIp(exitsFor(exitAddresses, request), request.kind)
        return Option.isSome(free) ? free.value : yield* new GatewayOutOfStock()
      })

      /** None: the gateways hold no free port at this moment. */
      const openNow = Effect.fnUntraced(function* (request: GatewayProxyRequest) {
        yield* repo.lockAllocation
        const existing = yield* repo.byReference(request.reference)
        if (Option.isSome(existing)) return existing
        const port = yield* held.freePort(ports)
        if (Option.isNone(port)) return Option.none<GatewayProxy>()
        const row = yield* Effect.orDie(
          GatewayProxy.insert.makeEffect({
            ...request,
            port: port.value,
            logins: [{ username: `u${randomHex(6)}`, password: randomHex(16) }],
            exit_ip: yield* exitIpFor(request),
            signature: request.kind === "mobile" ? "android" : null,
            status: "open"
          })
        )
        return Option.some(yield* repo.insert(row))
      }, atomically)

      const open = Effect.fn("GatewayProxies.open")(function* (request: GatewayProxyRequest) {
        for (let turn = 0, wasServed = false; ; turn++) {
          const opened = yield* openNow(request)
          if (Option.isSome(opened)) return opened.value
          const { has_unsold, is_served } = yield* held.supply(ports)
          if (!has_unsold) return yield* new GatewayOutOfStock()
          // A gateway that connected after this try may hold free ports.
          if (turn === turns) return yield* wasServed ? new GatewayOutOfStock() : new GatewayAway()
          wasServed = is_served
          yield* Effect.sleep(turnPause)
        }
      })

      const get = Effect.fn("GatewayProxies.get")(function* (id: GatewayProxyId) {
        const found = yield* repo.byId(id)
        return Option.isSome(found) ? found.value : yield* new GatewayProxyNotFound()
      })

      const close = Effect.fn("GatewayProxies.close")(function* (id: GatewayProxyId) {
        return yield* Effect.andThen(repo.close(id, yield* DateTime.now), get(id))
      })

      return GatewayProxies.of({
        ...access,
        ...terms,
        host,
        offers,
        open,
        find: repo.byReference,
        get,
        currentIp: ({ exit_ip, ip_version }) => Effect.sync(() => exit_ip ?? ownAddress(host, ip_version)),
        close,
        closedEarly: Effect.flatMap(DateTime.now, repo.closedEarly),
        usage
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      GatewayProxiesRepo.layer,
      HeldPortsRepo.layer,
      GatewayAccess.layer,
      GatewayTerms.layer,
      UsageRepo.layer
    ])
  )
}
