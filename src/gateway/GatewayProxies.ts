import { Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { Atomically } from "../platform/postgres/Atomically.ts"
import { GatewayHost } from "../platform/settings/GatewayHost.ts"
import { ownAddress } from "./ExitAddresses.ts"
import { GatewayAccess } from "./GatewayAccess.ts"
import { exitsFor, GatewayExitAddresses, GatewayPorts } from "./GatewayConfig.ts"
import { GatewayAway, GatewayOutOfStock, GatewayProxyNotFound } from "./GatewayErrors.ts"
import { type GatewayOffer, gatewayOffers } from "./GatewayOffers.ts"
import { GatewayProxiesRepo } from "./GatewayProxiesRepo.ts"
import { GatewayProxy, type GatewayProxyId } from "./GatewayProxy.ts"
import { GatewayTerms } from "./GatewayTerms.ts"
import { HeldPortsRepo } from "./HeldPortsRepo.ts"
import * as CountPortStock from "./CountPortStock.ts"
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

/** Tries to get a port while none is free and one is awaited: gateways take more, or start again, within moments. */
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
      /** Counts the free ports; infinite while gateways can hold more, or `open` would wait for one. */
      readonly countStock: Effect.Effect<number>
      /** The last count, less what this process has opened since; infinite before the first count. */
      readonly knownStock: Effect.Effect<number>
      /** What can be bought, with `is_available` from the free ports and exit addresses. */
      readonly offers: Effect.Effect<ReadonlyArray<GatewayOffer>>
      /**
       * Opens a proxy on a port that the running gateways hold. Waits 3 seconds for one while no gateway is connected or
       * one is about to hold more, and not otherwise.
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
      const { freePort } = yield* HeldPortsRepo
      const { sold, ...stock } = yield* CountPortStock.make
      const access = yield* GatewayAccess
      const terms = yield* GatewayTerms
      const { sums: usage } = yield* UsageRepo
      const atomically = yield* Atomically

      const offers = Effect.gen(function* () {
        const hasFreePort = (yield* stock.countStock) > 0
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
        const port = yield* freePort(ports)
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
        return Option.some(yield* Effect.tap(repo.insert(row), sold))
      }, atomically)

      const open = Effect.fn("GatewayProxies.open")(function* (request: GatewayProxyRequest) {
        for (let turn = 0; ; turn++) {
          const opened = yield* openNow(request)
          if (Option.isSome(opened)) return opened.value
          if ((yield* stock.countStock) === 0) return yield* new GatewayOutOfStock()
          if (turn === turns) return yield* new GatewayAway()
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
        ...stock,
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
