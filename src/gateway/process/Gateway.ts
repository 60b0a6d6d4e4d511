import { DateTime, Effect, Layer, Option, Queue, Schedule, Semaphore } from "effect"
import { isIP } from "node:net"
import * as Failure from "../../platform/errors/Failure.ts"
import { GatewayHost } from "../../platform/settings/GatewayHost.ts"
import { resolve } from "../../platform/outbound/NameResolution.ts"
import * as OpenFiles from "../../platform/OpenFiles.ts"
import { interfaceAddresses, makeIsOwn } from "../../platform/outbound/OwnAddresses.ts"
import { warnOfMissingExits } from "../ExitAddresses.ts"
import { GatewayAllow, GatewayBind, GatewayExitAddresses } from "../GatewayConfig.ts"
import * as GatewayLifeline from "./GatewayLifeline.ts"
import { GatewayLimits } from "../GatewayLimits.ts"
import { type GatewayProxy, GatewayProxyId } from "../GatewayProxy.ts"
import { GatewayServer } from "./GatewayServer.ts"
import { GatewayTraffic } from "../traffic/GatewayTraffic.ts"
import { HeldPortsRepo } from "../HeldPortsRepo.ts"
import { LiveProxiesRepo } from "./LiveProxiesRepo.ts"
import * as KeepPorts from "./KeepPorts.ts"

const readInterval = "10 seconds"
const readTimeout = "10 seconds"
/** Expiry is watched this far ahead, longer than the next full read is away. */
const expiryHorizonMillis = 30_000
/** How long after its expiry a proxy keeps its port: closing is for ever, and another machine's clock may be behind. */
const portGrace = { minutes: 5 }
const presenceInterval = "5 seconds"
const batch = 500

/** Where the ports listen: on the address customers are given when it is this machine's, else on every one. */
const bindAddress = (host: string): string =>
  isIP(host) !== 0 && (interfaceAddresses().includes(host) || host.startsWith("127.")) ? host : "0.0.0.0"

const millisLeft = (proxy: GatewayProxy): number => DateTime.toEpochMillis(proxy.expires_at) - Date.now()

const makeServer = Effect.gen(function* () {
  const host = yield* GatewayHost
  const bind = Option.getOrElse(yield* GatewayBind, () => bindAddress(host))
  const addresses = (yield* GatewayExitAddresses).map(({ ip }) => ip)
  const options = {
    ...(yield* GatewayLimits),
    allow: yield* GatewayAllow,
    isOwn: yield* makeIsOwn({ host, addresses, resolve }),
    resolve,
    bind
  }
  return yield* Effect.acquireRelease(
    Effect.sync(() => new GatewayServer(options)),
    (server) => Effect.sync(() => server.stopAll())
  )
})

/** Brings the server in line with rows as they were read. */
const makeApply = Effect.fnUntraced(function* (server: GatewayServer) {
  const traffic = yield* GatewayTraffic
  const expiries = new Map<string, NodeJS.Timeout>()
  yield* Effect.addFinalizer(() => Effect.sync(() => expiries.forEach((timer) => clearTimeout(timer))))

  const stop = (id: string) => {
    clearTimeout(expiries.get(id))
    expiries.delete(id)
    server.stop(id)
  }

  /** Expiry is the gateway's own affair: it holds to the millisecond and without a database. */
  const watchExpiry = (proxy: GatewayProxy) => {
    clearTimeout(expiries.get(proxy.id))
    const millis = millisLeft(proxy)
    if (millis < expiryHorizonMillis)
      expiries.set(
        proxy.id,
        setTimeout(() => stop(proxy.id), millis)
      )
    else expiries.delete(proxy.id)
  }

  const serve = Effect.fnUntraced(function* (proxy: GatewayProxy) {
    if (proxy.status === "closed" || millisLeft(proxy) <= 0) return stop(proxy.id)
    watchExpiry(proxy)
    yield* Effect.ignore(Effect.tryPromise(() => server.serve(proxy, () => traffic.meter(proxy))))
  })

  return { serve, stop, watchExpiry }
})

/** The bounds that follow from the limit of open files: `ulimit -n` raises both. */
const tellBounds = Effect.gen(function* () {
  const { clients, strangers, tunnels } = yield* GatewayLimits
  const openFiles = OpenFiles.limit()
  const limit = openFiles === Infinity ? "without a limit of open files" : `with a limit of ${openFiles} open files`
  yield* Effect.logInfo(
    `The gateway serves at most ${clients} clients and ${tunnels} destinations at once, and lets ${strangers} connections authenticate, ${limit}`
  )
})

const makeTelling = Effect.fnUntraced(function* (server: GatewayServer) {
  const host = yield* GatewayHost
  let waiting = 0
  const serving = yield* Effect.cached(
    Effect.suspend(() =>
      Effect.logInfo(
        `The gateway is ready at ${host}; proxies that it serves: ${server.proxies.length - server.waiting}`
      )
    )
  )
  return Effect.gen(function* () {
    yield* serving
    if (server.waiting === waiting) return
    waiting = server.waiting
    if (waiting === 0) return yield* Effect.logInfo("The ports of all proxies are held again")
    yield* Effect.logWarning(`${waiting} of ${server.proxies.length} ports are taken; another gateway may serve them`)
  })
})

/** Reads proxies and applies what was read. */
const makeReading = Effect.gen(function* () {
  const repo = yield* LiveProxiesRepo
  const server = yield* makeServer
  const ports = yield* KeepPorts.make(server)
  const { serve, stop, watchExpiry } = yield* makeApply(server)

  const turn = yield* Semaphore.make(1)
  /** One reading at a time: what was read earlier is never applied later. */
  const inTurn = <A, E>(reading: Effect.Effect<A, E>) => turn.withPermits(1)(Effect.timeout(reading, readTimeout))

  const apply = Effect.fnUntraced(function* (ids: ReadonlyArray<GatewayProxy["id"]>) {
    const rows: Array<GatewayProxy> = []
    for (let start = 0; start < ids.length; start += batch) {
      rows.push(...(yield* repo.byIds(ids.slice(start, start + batch))))
    }
    // The port of a proxy that is closed may be another one's already.
    const closedFirst = rows.toSorted((a, b) => Number(a.status === "open") - Number(b.status === "open"))
    yield* Effect.forEach(closedFirst, serve, { discard: true })
  })

  const tell = yield* makeTelling(server)

  const readAll = Effect.gen(function* () {
    const now = yield* DateTime.now
    yield* repo.closeExpired({ before: DateTime.subtract(now, portGrace), now })
    const known = new Map(server.proxies.map((proxy) => [proxy.id, proxy]))
    const rows = yield* repo.revisions
    const open = new Set(rows.map(({ id }) => id))
    for (const [id, proxy] of known)
      if (open.has(id)) watchExpiry(proxy)
      else stop(id)
    yield* apply(rows.filter(({ id, revision }) => known.get(id)?.revision !== revision).map(({ id }) => id))
    yield* Effect.forEach(known.keys(), (id) => Effect.ignore(Effect.tryPromise(() => server.listen(id))), {
      discard: true
    })
    // Proxies come first: a port in reserve is never one that was sold.
    yield* ports.keep
    yield* tell
  }).pipe(inTurn)

  const read = (ids: Iterable<GatewayProxy["id"]>) => inTurn(Effect.andThen(apply([...new Set(ids)]), ports.refill))

  return { present: ports.present, read, readAll }
})

const run = Effect.gen(function* () {
  yield* warnOfMissingExits
  yield* tellBounds
  const repo = yield* LiveProxiesRepo
  const { stale } = yield* GatewayTraffic
  const { present, read, readAll } = yield* makeReading

  /** Listens first and reads then, so that no change falls between; a lost connection starts over. */
  const follow = Effect.scoped(
    Effect.gen(function* () {
      const isPresent = yield* present
      const changes = yield* repo.changes
      yield* readAll
      const changed = Queue.takeAll(changes).pipe(
        Effect.flatMap((changed) => read(changed.map(({ payload }) => GatewayProxyId.make(payload)))),
        Effect.forever
      )
      return yield* Effect.raceFirst(changed, Effect.forever(Effect.delay(isPresent, presenceInterval)))
    })
  ).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning(...Failure.logLine("The database is out of reach; serving what is known", cause))
    ),
    Effect.andThen(Effect.sleep("1 second")),
    Effect.forever
  )

  /** A change whose word got lost is noticed while the proxy carries traffic. */
  const catchUp = Queue.takeAll(stale).pipe(
    Effect.flatMap(read),
    Effect.catchCause((cause) => Effect.logWarning(...Failure.logLine("Changed proxies could not be read", cause))),
    Effect.forever
  )

  yield* Effect.forkScoped(follow)
  yield* Effect.forkScoped(catchUp)
  yield* readAll.pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning(...Failure.logLine("Proxies could not be read; trying again", cause))
    ),
    Effect.schedule(Schedule.spaced(readInterval)),
    Effect.forkScoped
  )
})

/** A gateway process: serves every open proxy of the database until its scope closes. */
export const layerNoDeps = Layer.effectDiscard(run)

export const layer = Layer.merge(layerNoDeps, GatewayLifeline.layer).pipe(
  Layer.provide([HeldPortsRepo.layer, LiveProxiesRepo.layer, GatewayTraffic.layer])
)
