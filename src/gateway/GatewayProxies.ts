import { type Array as Arr, Context, DateTime, Effect, Layer, Option } from "effect"
import { Atomically } from "../platform/postgres/Atomically.ts"
import * as RunInBatches from "../platform/postgres/RunInBatches.ts"
import * as UuidV7 from "../platform/UuidV7.ts"
import { GatewayHost } from "../platform/settings/GatewayHost.ts"
import { ownAddress } from "./ExitAddresses.ts"
import { GatewayAccess } from "./GatewayAccess.ts"
import { GatewayPorts } from "./GatewayConfig.ts"
import { GatewayAway, GatewayOutOfStock, GatewayProxyNotFound } from "./GatewayErrors.ts"
import { GatewayProxiesRepo } from "./GatewayProxiesRepo.ts"
import { type GatewayProxy, GatewayProxyId } from "./GatewayProxy.ts"
import { GatewayStock } from "./GatewayStock.ts"
import { GatewayTerms } from "./GatewayTerms.ts"
import { HeldPortsRepo } from "./HeldPortsRepo.ts"
import { newLogins } from "./NewLogins.ts"
import { RefusedConnectionsRepo } from "./RefusedConnectionsRepo.ts"
import { UsageRepo, type UsageSum, type UsageWindow } from "./UsageRepo.ts"

/** The terms of a proxy to open. A repeated `reference` returns the same proxy. */
export interface GatewayProxyRequest {
  readonly reference: string
  /** The id of the article. Its pool decides the kind, the country and the exit address. */
  readonly article: string
  readonly protocol: GatewayProxy["protocol"]
  /** Null: unlimited. */
  readonly limit_bytes: bigint | null
  readonly expires_at: DateTime.Utc
}

/** The number of times that `open` tries again for a free port. A gateway holds more ports, or restarts, within moments. */
const maxRetries = 30
const retryPause = "100 millis"

/** The proxies of the embedded gateway. The running gateway processes apply every change automatically. */
export class GatewayProxies extends Context.Service<
  GatewayProxies,
  GatewayAccess["Service"] &
    GatewayTerms["Service"] &
    RefusedConnectionsRepo["Service"] &
    Omit<GatewayStock["Service"], "articles" | "sold" | "soldLastPort"> & {
      /** The host that customers connect to. Each proxy has its own port. */
      readonly host: string
      /**
       * Opens a proxy on a port that the running gateways hold. Waits at most 3 seconds for a free port, and only while no
       * gateway is connected or a gateway is about to hold more ports.
       */
      readonly open: (request: GatewayProxyRequest) => Effect.Effect<GatewayProxy, GatewayOutOfStock | GatewayAway>
      readonly find: (reference: string) => Effect.Effect<Option.Option<GatewayProxy>>
      readonly get: (id: GatewayProxyId) => Effect.Effect<GatewayProxy, GatewayProxyNotFound>
      /** Returns the address that destinations see. Null: unknown, or each connection has another one. */
      readonly currentIp: (proxy: GatewayProxy) => Effect.Effect<string | null>
      /** Closes a proxy immediately. A closed proxy never opens again; closing it again changes nothing. */
      readonly close: (id: GatewayProxyId) => Effect.Effect<GatewayProxy, GatewayProxyNotFound>
      /** Lists the references of proxies that were closed before they expired, for any reason. */
      readonly closedEarly: Effect.Effect<ReadonlyArray<string>>
      /** Sums the traffic of proxies, grouped by the point in which it passed and the point in which its cycle ended. */
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
      const repo = yield* GatewayProxiesRepo
      const freePort = (yield* HeldPortsRepo).freePort(ports)
      const { articles: _articles, sold, soldLastPort, ...stock } = yield* GatewayStock
      const access = yield* GatewayAccess
      const terms = yield* GatewayTerms
      const refusals = yield* RefusedConnectionsRepo
      const { sums: usage } = yield* UsageRepo
      const atomically = yield* Atomically

      const openLocked = Effect.fnUntraced(function* (request: GatewayProxyRequest) {
        const id = GatewayProxyId.make(UuidV7.make())
        const created_at = yield* DateTime.now
        const { found, isLastPort } = yield* repo.open({ ...request, id, logins: newLogins(), created_at }, freePort)
        if (Option.exists(found, (proxy) => proxy.id === id)) sold(request.article)
        if (isLastPort) yield* soldLastPort
        return found
      })

      /**
       * Opens the proxy immediately. Returns none while no port or no exit address is free. Concurrent calls share the
       * transaction that holds the lock.
       */
      const openNow = yield* RunInBatches.make({
        run: (requests: Arr.NonEmptyReadonlyArray<GatewayProxyRequest>) =>
          atomically(Effect.andThen(repo.lockAllocation, Effect.forEach(requests, openLocked))),
        itemsAtMost: 16,
        concurrency: 1
      })

      const open = Effect.fn("GatewayProxies.open")(function* (request: GatewayProxyRequest) {
        for (let retries = 0; ; retries++) {
          const opened = yield* openNow(request)
          if (Option.isSome(opened)) return opened.value
          if (((yield* stock.countStock).get(request.article) ?? 0) === 0) return yield* new GatewayOutOfStock()
          if (retries === maxRetries) return yield* new GatewayAway()
          yield* Effect.sleep(retryPause)
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
        ...refusals,
        host,
        open,
        find: repo.byReference,
        get,
        currentIp: ({ exit_ip, ip_version, session_minutes }) =>
          Effect.sync(() => (session_minutes === null ? (exit_ip ?? ownAddress(host, ip_version)) : null)),
        close,
        closedEarly: Effect.flatMap(DateTime.now, repo.closedEarly),
        usage
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      GatewayProxiesRepo.layer,
      GatewayStock.layer,
      HeldPortsRepo.layer,
      GatewayAccess.layer,
      GatewayTerms.layer,
      RefusedConnectionsRepo.layer,
      UsageRepo.layer
    ])
  )
}
