import { DateTime, Effect, Layer, Schedule } from "effect"
import * as Job from "../../platform/Job.ts"
import { Providers } from "../../provider/Providers.ts"
import { isLiveAt } from "../LiveOrder.ts"
import type { Order } from "../Order.ts"
import { type Probe, statusOf } from "./Probe.ts"
import { ProbeSeconds } from "./ProbeSettings.ts"
import { ProxyHealthRepo } from "./ProxyHealthRepo.ts"
import { ProxyProbes } from "./ProxyProbes.ts"

/** The tries of one round, all at the same time. A round begins a second after the last one. */
const batch = 10
const adoptedAtOnce = 1_000
/** The time until the next try of a vendor's proxy, whose traffic costs money. */
const vendorSeconds = 600
/** The time until the next try of a proxy that fails. */
const failingSeconds = 20
/** The time without tries while the echo does not answer. */
const pause = { minutes: 1 }
/** A claim is longer than the longest round. */
const lease = { minutes: 2 }

const isOwn = ({ probe }: { readonly probe?: unknown }) => probe !== undefined

/** Makes the function that tries a proxy. It returns none when the try has no outcome. */
const makeTry = Effect.gen(function* () {
  const probes = yield* ProxyProbes
  const providers = yield* Providers
  const repo = yield* ProxyHealthRepo
  const ownSeconds = yield* ProbeSeconds

  const nextOf = (order: Order, probe: Probe, now: DateTime.Utc) => {
    const provider = providers.get(order.provider)
    const seconds = provider !== undefined && isOwn(provider) ? ownSeconds : vendorSeconds
    return DateTime.add(now, { seconds: statusOf(probe) === "failing" ? failingSeconds : seconds })
  }

  const keep = Effect.fnUntraced(function* ({ order, probe }: { readonly order: Order; readonly probe: Probe }) {
    const now = yield* DateTime.now
    const next = nextOf(order, probe, now)
    yield* statusOf(probe) === "unknown" ? repo.postpone(order.id, next) : repo.record(order.id, probe, now, next)
  })

  return Effect.fnUntraced(function* (orders: ReadonlyArray<Order>) {
    const now = yield* DateTime.now
    const live = orders.filter((order) => isLiveAt(order, now))
    const tried = yield* Effect.forEach(
      live,
      (order) => Effect.map(probes.probe(order, false), (probe) => ({ order, probe })),
      { concurrency: batch }
    )
    // Without its echo, the service says nothing about a proxy.
    const fails = tried.some(({ probe }) => statusOf(probe) === "failing")
    if (fails && !(yield* probes.echoAnswers)) {
      const at = yield* DateTime.now
      yield* repo.pause(at, DateTime.add(at, pause))
      return yield* Effect.logWarning("Cannot try proxies: the echo does not answer the service; see PROBE_ECHO_URL")
    }
    yield* Effect.forEach(tried, keep, { discard: true })
  })
})

/** Tries the proxies that are due, at most 10. */
export const run = Effect.gen(function* () {
  const repo = yield* ProxyHealthRepo
  const tryAll = yield* makeTry
  const now = yield* DateTime.now
  yield* tryAll(yield* repo.claim(now, DateTime.add(now, lease), batch))
})

/** Begins to try proxies that run and are not tried yet, spread over the time between two tries. */
export const adopt = Effect.gen(function* () {
  const repo = yield* ProxyHealthRepo
  const { all } = yield* Providers
  const spreadSeconds = yield* ProbeSeconds
  const own = all.filter(isOwn).map(({ name }) => name)
  const vendors = all.filter((provider) => !isOwn(provider)).map(({ name }) => name)
  yield* repo.adopt({ own, vendors }, { now: yield* DateTime.now, limit: adoptedAtOnce, spreadSeconds })
})

const jobs = Layer.merge(
  Job.layer("ProbeRounds", Schedule.spaced("1 second"), run),
  Job.layer("ProbeTargets", Schedule.spaced("1 minute"), adopt)
).pipe(Layer.provide([ProxyHealthRepo.layer, ProxyProbes.layer]))

export const layer = Layer.unwrap(Effect.map(ProbeSeconds, (seconds) => (seconds === 0 ? Layer.empty : jobs)))
