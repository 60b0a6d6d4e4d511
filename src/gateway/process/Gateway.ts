import { DateTime, Effect, Layer, Option, Queue, Schedule, Semaphore } from "effect"
import { isIP } from "node:net"
import * as Failure from "../../platform/errors/Failure.ts"
import { GatewayHost } from "../../platform/settings/GatewayHost.ts"
import { resolve } from "../../platform/outbound/NameResolution.ts"
import * as OpenFiles from "../../platform/OpenFiles.ts"
import { interfaceAddresses, makeIsOwn } from "../../platform/outbound/OwnAddresses.ts"
import { missingExits } from "../ExitAddresses.ts"
import { GatewayAllow, GatewayBind } from "../GatewayConfig.ts"
import * as GatewayLifeline from "./GatewayLifeline.ts"
import { GatewayLimits } from "../GatewayLimits.ts"
import { type GatewayProxy, GatewayProxyId } from "../GatewayProxy.ts"
import { GatewayServer } from "./GatewayServer.ts"
import { ConnectionLogWriter } from "../traffic/ConnectionLogWriter.ts"
import { GatewayTraffic } from "../traffic/GatewayTraffic.ts"
import { NodeControl } from "../NodeControl.ts"
import * as KeepPorts from "./KeepPorts.ts"
import * as KeepRules from "./KeepRules.ts"

const readInterval = "10 seconds"
const lookInterval = "1 second"
const readTimeout = "10 seconds"
/** A timer is set for expiries within this time, which is longer than the interval of full reads. */
const expiryHorizonMillis = 30_000
/** The time that a proxy keeps its port after its expiry: closing is final, and another machine's clock may be behind. */
const portGrace = { minutes: 5 }
const presenceInterval = "5 seconds"
const batch = 500

/** Chooses the address that the ports listen on: the customers' host when it belongs to this machine, else all addresses. */
const bindAddress = (host: string): string =>
  isIP(host) !== 0 && (interfaceAddresses().includes(host) || host.startsWith("127.")) ? host : "0.0.0.0"

const millisLeft = (proxy: GatewayProxy): number => DateTime.toEpochMillis(proxy.expires_at) - Date.now()

const makeServer = Effect.fnUntraced(function* (exits: () => ReadonlyArray<string>) {
  const host = yield* GatewayHost
  const bind = Option.getOrElse(yield* GatewayBind, () => bindAddress(host))
  const options = {
    ...(yield* GatewayLimits),
    allow: yield* GatewayAllow,
    isOwn: yield* makeIsOwn({ host, addresses: exits, resolve }),
    resolve,
    bind,
    log: (yield* ConnectionLogWriter).log
  }
  return yield* Effect.acquireRelease(
    Effect.sync(() => new GatewayServer(options)),
    (server) => Effect.sync(() => server.stopAll())
  )
})

/** Applies the rows of proxies to the server. */
const makeApply = Effect.fnUntraced(function* (server: GatewayServer) {
  const traffic = yield* GatewayTraffic
  const expiries = new Map<string, NodeJS.Timeout>()
  yield* Effect.addFinalizer(() => Effect.sync(() => expiries.forEach((timer) => clearTimeout(timer))))

  const stop = (id: string) => {
    clearTimeout(expiries.get(id))
    expiries.delete(id)
    server.stop(id)
  }

  /** Stops the proxy exactly when it expires, without the database. */
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

/** Logs the limits that follow from the limit of open files, which `ulimit -n` raises. */
const logLimits = Effect.gen(function* () {
  const { clients, strangers, tunnels } = yield* GatewayLimits
  const openFiles = OpenFiles.limit()
  const limit = openFiles === Infinity ? "without a limit of open files" : `with a limit of ${openFiles} open files`
  yield* Effect.logInfo(
    `The gateway serves at most ${clients} clients, ${tunnels} destination connections and ${strangers} unauthenticated connections, ${limit}`
  )
})

/** Logs when the gateway is ready, and when the number of taken ports changes. */
const makeStatusLog = Effect.fnUntraced(function* (server: GatewayServer) {
  const host = yield* GatewayHost
  let waiting = 0
  const logReady = yield* Effect.cached(
    Effect.suspend(() =>
      Effect.logInfo(`The gateway is ready at ${host}; served proxies: ${server.proxies.length - server.waiting}`)
    )
  )
  return Effect.gen(function* () {
    yield* logReady
    if (server.waiting === waiting) return
    waiting = server.waiting
    if (waiting === 0) return yield* Effect.logInfo("The gateway holds the ports of all proxies again")
    yield* Effect.logWarning(
      `Cannot listen on ${waiting} of ${server.proxies.length} ports: another process holds them; another gateway may serve these proxies`
    )
  })
})

/** Reads the exit addresses of the shop, and logs the ones that this machine lacks. */
const makeExits = Effect.gen(function* () {
  const { proxies: repo } = yield* NodeControl
  let exits: ReadonlyArray<string> = []
  let missing = ""
  const read = Effect.gen(function* () {
    exits = yield* repo.exits
    const now = missingExits(exits).join(", ")
    if (now === missing) return
    missing = now
    if (now !== "")
      yield* Effect.logWarning(
        `This machine does not hold the exit addresses ${now}; add them to an interface, or proxies with them cannot connect`
      )
  })
  return { read, exits: () => exits }
})

/** Reads proxies and applies them to the server. */
const makeReading = Effect.gen(function* () {
  const { proxies: repo } = yield* NodeControl
  const { exits, read: readExits } = yield* makeExits
  const server = yield* makeServer(exits)
  const ports = yield* KeepPorts.make(server)
  const rules = yield* KeepRules.make(server)
  const { serve, stop, watchExpiry } = yield* makeApply(server)

  const turn = yield* Semaphore.make(1)
  /** Runs one read at a time, so that an older read is never applied after a newer one. */
  const inTurn = <A, E>(reading: Effect.Effect<A, E>) => turn.withPermits(1)(Effect.timeout(reading, readTimeout))

  const listen = (ids: Iterable<string>) =>
    Effect.forEach(ids, (id) => Effect.ignore(Effect.tryPromise(() => server.listen(id))), { discard: true })

  const apply = Effect.fnUntraced(function* (ids: ReadonlyArray<GatewayProxy["id"]>) {
    const rows: Array<GatewayProxy> = []
    for (let start = 0; start < ids.length; start += batch) {
      rows.push(...(yield* repo.byIds(ids.slice(start, start + batch))))
    }
    // Closed proxies first, because their ports may belong to other proxies now.
    const closedFirst = rows.toSorted((a, b) => Number(a.status === "open") - Number(b.status === "open"))
    yield* Effect.forEach(closedFirst, serve, { discard: true })
    // The wake-up of a closed proxy may come after the wake-up of the next proxy on its port.
    if (closedFirst[0]?.status === "closed") yield* listen(server.taken.map(({ proxy }) => proxy.id))
  })

  const logStatus = yield* makeStatusLog(server)

  const readAll = Effect.gen(function* () {
    const now = yield* DateTime.now
    // Rules come first, so that no connection of a proxy precedes them.
    yield* rules.read
    yield* readExits
    yield* repo.closeExpired({ before: DateTime.subtract(now, portGrace), now })
    const known = new Map(server.proxies.map((proxy) => [proxy.id, proxy]))
    const rows = yield* repo.revisions
    const open = new Set(rows.map(({ id }) => id))
    for (const [id, proxy] of known)
      if (open.has(id)) watchExpiry(proxy)
      else stop(id)
    yield* apply(rows.filter(({ id, revision }) => known.get(id)?.revision !== revision).map(({ id }) => id))
    yield* listen(known.keys())
    // Proxies come first, so that the reserve never contains a sold port.
    yield* ports.keep
    yield* logStatus
  }).pipe(inTurn)

  const read = (ids: Iterable<GatewayProxy["id"]>) => inTurn(Effect.andThen(apply([...new Set(ids)]), ports.refill))

  /** Reads the proxies that notifications name, and the rules when one of them is the nil id. */
  const readNotified = Effect.fnUntraced(function* (payloads: ReadonlyArray<string>) {
    if (payloads.includes(KeepRules.notice)) yield* inTurn(rules.read)
    const ids = payloads.filter((payload) => payload !== KeepRules.notice)
    if (ids.length > 0) yield* read(ids.map((id) => GatewayProxyId.make(id)))
  })

  /** Reads the changes that `changedSince` lists and the server does not know. */
  const catchUp = Effect.fnUntraced(function* (since: string) {
    yield* inTurn(rules.read)
    const { changed, next } = yield* repo.changedSince(since)
    if (changed.length === 0) return next
    const known = new Map(server.proxies.map(({ id, revision }) => [id, revision]))
    const unknown = changed.filter(({ id, revision, status }) =>
      status === "closed" ? known.has(id) : known.get(id) !== revision
    )
    if (unknown.length > 0) yield* read(unknown.map(({ id }) => id))
    return next
  })

  return { present: ports.present, read, readNotified, readAll, catchUp }
})

const run = Effect.gen(function* () {
  yield* logLimits
  const { proxies: repo } = yield* NodeControl
  const { stale } = yield* GatewayTraffic
  const { catchUp, present, read, readAll, readNotified } = yield* makeReading

  /** Looks for changes every second, because a wake-up is lost with the process that should send it. */
  const look = (since: string) =>
    Effect.gen(function* () {
      for (let from = since; ; from = yield* catchUp(from)) yield* Effect.sleep(lookInterval)
    })

  /** Listens for changes before it reads, so that it misses none. Starts over when the connection is lost. */
  const follow = Effect.scoped(
    Effect.gen(function* () {
      const isPresent = yield* present
      const changes = yield* repo.changes
      const { next } = yield* repo.changedSince(undefined)
      yield* readAll
      const changed = Queue.takeAll(changes).pipe(
        Effect.flatMap((changed) => readNotified(changed.map(({ payload }) => payload))),
        Effect.forever
      )
      return yield* Effect.raceAllFirst([
        changed,
        look(next),
        Effect.forever(Effect.delay(isPresent, presenceInterval))
      ])
    })
  ).pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning(...Failure.logLine("Cannot reach the centre; serving the known proxies", cause))
    ),
    Effect.andThen(Effect.sleep("1 second")),
    Effect.forever
  )

  /** Reads proxies whose traffic reports show a change, because its notification may be lost. */
  const readStale = Queue.takeAll(stale).pipe(
    Effect.flatMap(read),
    Effect.catchCause((cause) => Effect.logWarning(...Failure.logLine("Cannot read changed proxies", cause))),
    Effect.forever
  )

  yield* Effect.forkScoped(follow)
  yield* Effect.forkScoped(readStale)
  yield* readAll.pipe(
    Effect.catchCause((cause) =>
      Effect.logWarning(...Failure.logLine("Cannot read proxies; trying again in 10 seconds", cause))
    ),
    Effect.schedule(Schedule.spaced(readInterval)),
    Effect.forkScoped
  )
})

/** Runs a gateway process: serves every open proxy of its node until the scope closes. */
export const layerNoDeps = Layer.effectDiscard(run)

/** Runs a gateway process with a control of its own. */
export const layerWith = <E, R>(control: Layer.Layer<NodeControl, E, R>) =>
  Layer.merge(layerNoDeps, GatewayLifeline.layer).pipe(
    Layer.provide([ConnectionLogWriter.layer, GatewayTraffic.layer]),
    Layer.provide(control)
  )

/** Runs a gateway process that reaches the database itself. A node loads no driver of a database. */
export const layer = layerWith(
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../control/ControlDatabase.ts")),
      ({ layer }) => layer
    )
  )
)
