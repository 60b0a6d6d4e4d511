import { DateTime, Effect } from "effect"
import { randomUUID } from "node:crypto"
import { hostname } from "node:os"
import { GatewayPorts } from "../GatewayConfig.ts"
import { GatewayLimits } from "../GatewayLimits.ts"
import type { GatewayServer } from "./GatewayServer.ts"
import { NodeControl } from "../NodeControl.ts"
import { isTaken } from "../ports/PortReserve.ts"

/** The time after which a port of another process is tried again. */
const retryMillis = 60_000
/** The maximum number of ports that one round tries. */
const maxCandidates = 20_000

const listed = (ports: ReadonlyArray<number>) =>
  `${ports.slice(0, 5).join(", ")}${ports.length > 5 ? ` and ${ports.length - 5} more` : ""}`

/** Ends the proxies whose port another process has held for `lostPortMillis`. A `place` is a machine and an address. */
const makeEndLost = Effect.fnUntraced(function* (server: GatewayServer, place: string) {
  const { ports: repo } = yield* NodeControl
  const { lostPortMillis } = yield* GatewayLimits

  /**
   * Finds the proxies with a lost port. A port that another gateway of the same place reports is not lost, and its time
   * starts again: that gateway may restart, and then holds the port before it reports it.
   */
  const takenLong = Effect.gen(function* () {
    const { taken } = server
    if (taken.length === 0) return []
    const ours = yield* repo.heldAt(
      place,
      taken.map(({ proxy }) => proxy.port)
    )
    for (const port of taken) if (ours.has(port.proxy.port)) port.servedElsewhere()
    const before = performance.now() - lostPortMillis
    return taken
      .filter(({ proxy, takenSince = Infinity }) => !ours.has(proxy.port) && takenSince <= before)
      .map(({ proxy }) => proxy)
  })

  return Effect.gen(function* () {
    const lost = yield* takenLong
    if (lost.length === 0) return
    yield* repo.closeLost(
      lost.map(({ id }) => id),
      yield* DateTime.now
    )
    yield* Effect.forEach(lost, ({ id, port, reference }) =>
      Effect.logError(`Cannot serve the proxy on port ${port}: another process holds the port; the proxy has ended`, {
        proxy_id: id,
        order_id: reference
      })
    )
  })
})

/** Logs each error of a port once, because rounds follow every few seconds. */
const makeFailures = () => {
  const logged = new Map<number, string>()
  return {
    log: Effect.fnUntraced(function* (port: number, failure: string) {
      if (logged.get(port) === failure) return
      logged.set(port, failure)
      yield* Effect.logWarning(`Cannot hold port ${port}: ${failure}`)
    }),
    forget: (port: number) => void logged.delete(port)
  }
}

/**
 * Holds ports for the next orders, and reports the ports of this process to the database. Skips the ports of other
 * processes and tries them again later. Ends a proxy whose port another process has held for a minute.
 */
export const make = Effect.fnUntraced(function* (server: GatewayServer) {
  const { ports: repo } = yield* NodeControl
  const range = yield* GatewayPorts
  const { reserve } = yield* GatewayLimits
  const id = randomUUID()
  const place = `${hostname()} ${server.bind}`
  const taken = new Map<number, number>()
  const failures = makeFailures()
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(repo.leave(id), "1 second")))

  /** Tries to hold one port. False when trying more ports is useless. */
  const hold = Effect.fnUntraced(function* (port: number) {
    const outcome = yield* Effect.promise(() =>
      server.hold(port).then(
        () => "held" as const,
        (error: unknown) => (isTaken(error) ? ("taken" as const) : error)
      )
    )
    if (outcome !== "held" && outcome !== "taken") {
      yield* failures.log(port, String(outcome))
      return false
    }
    failures.forget(port)
    if (outcome === "held") taken.delete(port)
    else taken.set(port, performance.now())
    return true
  })

  const isDue = (port: number) => performance.now() - (taken.get(port) ?? -Infinity) >= retryMillis

  const fill = Effect.fnUntraced(function* () {
    const listening = new Set(server.listening)
    for (let limit = reserve + taken.size + listening.size; ; limit *= 2) {
      const candidates = yield* repo.candidates(range, Math.min(limit, maxCandidates))
      for (const port of candidates.filter((port) => !listening.has(port) && isDue(port))) {
        if (server.reserved >= reserve || !(yield* hold(port))) return
      }
      if (server.reserved >= reserve || candidates.length < limit || limit >= maxCandidates) return
    }
  })

  let loggedTaken = ""
  const logTaken = Effect.suspend(() => {
    const ports = [...taken.keys()].toSorted((a, b) => a - b)
    if (ports.length === 0 || listed(ports) === loggedTaken) return Effect.void
    loggedTaken = listed(ports)
    return Effect.logWarning(`Cannot sell ports ${loggedTaken}: other processes hold them; trying again every minute`)
  })

  const refillsAt = Math.floor(reserve / 2)
  /** True when no more ports are available: orders do not wait for more. */
  let hasAll = false
  const report = Effect.suspend(() => repo.report(id, place, server.listening, hasAll ? null : refillsAt))

  /** Fills the reserve when half of it is sold. */
  const refill = Effect.gen(function* () {
    if (server.reserved > refillsAt) return
    yield* fill()
    hasAll = server.reserved < reserve
    yield* report
    yield* logTaken
  })

  const endLost = yield* makeEndLost(server, place)
  return { present: repo.present(id), refill, keep: refill.pipe(Effect.andThen(report), Effect.andThen(endLost)) }
})
