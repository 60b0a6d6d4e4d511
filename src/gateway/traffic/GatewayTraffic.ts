import { Context, DateTime, Duration, Effect, Layer, Queue } from "effect"
import { randomUUID } from "node:crypto"
import * as Failure from "../../platform/errors/Failure.ts"
import { type GatewayProxy, GatewayProxyId } from "../GatewayProxy.ts"
import { NodeControl } from "../NodeControl.ts"
import { SilenceWatch } from "./SilenceWatch.ts"
import type { TrafficReport } from "../TrafficReport.ts"
import { TrafficMeter } from "./TrafficMeter.ts"

const reportMillis = 1_000
const heartbeatMillis = 5_000
const batch = 1_000
const answerTimeout = Duration.seconds(5)
/** The time limit of the last reports. The supervisor gives the whole gateway 2 seconds to end. */
const lastReportsTimeout = Duration.millis(1_500)

type Accounts = NodeControl["Service"]["traffic"]

/**
 * The meters of this gateway process, and the state of their reports. Its times come from `performance.now()`, because a wall
 * clock that is set back would delay every report.
 */
class ReportState {
  readonly meters = new Map<string, TrafficMeter>()
  instance: string | undefined
  /** The instance to begin. It keeps its id until the centre has confirmed it, so that tries without an answer leave nothing. */
  beginning: string | undefined
  number = 0
  /** The report that is sent but not confirmed. It is sent again, with the same number, until it is confirmed. */
  unconfirmed: { readonly number: number; readonly reports: ReadonlyArray<TrafficReport> } | undefined
  reportedAt = -Infinity
  fullRoundAt = -Infinity
  #demanded = false
  #wake: (() => void) | undefined

  readonly demand = () => {
    this.#demanded = true
    this.#wake?.()
  }

  /** Waits until a meter asks for more traffic, or the next full round is due. */
  readonly pause = Effect.callback<void>((resume) => {
    const wake = () => {
      this.#wake = undefined
      this.#demanded = false
      resume(Effect.void)
    }
    if (this.#demanded && this.unconfirmed === undefined) return void wake()
    const timer = setTimeout(wake, Math.max(0, this.fullRoundAt + reportMillis - performance.now()))
    this.#wake = this.unconfirmed === undefined ? wake : undefined
    return Effect.sync(() => clearTimeout(timer))
  })

  /** Returns the next report: the unconfirmed one first, then the due ones. Undefined: nothing is due. */
  next(now: number) {
    if (this.unconfirmed !== undefined) return this.unconfirmed
    const urgent = now < this.fullRoundAt + reportMillis
    if (!urgent) this.fullRoundAt = now
    const due = [...this.meters.values()].filter((meter) => meter.isDue(urgent, now)).slice(0, batch)
    if (due.length === 0 && now < this.reportedAt + heartbeatMillis) return undefined
    // The reports beyond a full batch follow without a pause.
    if (due.length === batch) this.fullRoundAt = -Infinity
    this.unconfirmed = { number: ++this.number, reports: due.map((meter) => meter.report(now)) }
    return this.unconfirmed
  }

  forgetRetired() {
    for (const [id, meter] of this.meters) if (meter.retired && meter.isClean) this.meters.delete(id)
  }
}

const makeRound = (state: ReportState, repo: Accounts, stale: Queue.Enqueue<GatewayProxyId>) => {
  const begin = Effect.gen(function* () {
    const instance = (state.beginning ??= randomUUID())
    yield* repo.register(instance)
    state.beginning = undefined
    state.instance = instance
    state.number = 0
    return instance
  })

  const send = Effect.fnUntraced(function* (
    instance: string,
    { number, reports }: { readonly number: number; readonly reports: ReadonlyArray<TrafficReport> }
  ) {
    const answer = yield* repo.report(instance, number, reports)
    state.unconfirmed = undefined
    state.reportedAt = performance.now()
    if (answer._tag === "Settled") {
      state.instance = undefined
      for (const meter of state.meters.values()) meter.forfeit(answer.booked)
      return
    }
    const leases = new Map(answer.leases.map((lease) => [lease.proxy_id, lease]))
    for (const { cycle, proxy_id } of reports) {
      const meter = state.meters.get(proxy_id)
      const lease = leases.get(proxy_id)
      meter?.confirm(lease ?? { cycle, leased_bytes: 0, last: true })
      if (lease?.revision !== meter?.revision) yield* Queue.offer(stale, GatewayProxyId.make(proxy_id))
    }
    state.forgetRetired()
  })

  return Effect.gen(function* () {
    const instance = state.instance ?? (yield* begin)
    const message = state.next(performance.now())
    if (message !== undefined) yield* send(instance, message)
  }).pipe(Effect.timeout(answerTimeout))
}

const settleSilent = (watch: SilenceWatch, repo: Accounts) =>
  Effect.gen(function* () {
    if (!watch.isDue(performance.now())) return
    const silent = watch.look(yield* repo.instances, performance.now())
    if (silent.length > 0) yield* repo.settle(silent)
  }).pipe(Effect.timeout(answerTimeout))

/** Reports the last bytes and returns all leases. */
const finish = (state: ReportState, repo: Accounts, round: Effect.Effect<void, unknown>) =>
  Effect.gen(function* () {
    for (const meter of state.meters.values()) meter.retired = true
    while (state.unconfirmed !== undefined || [...state.meters.values()].some((meter) => !meter.isClean)) {
      state.fullRoundAt = -Infinity
      yield* round
    }
    if (state.instance === undefined) return
    yield* repo.forget(state.instance, DateTime.subtract(yield* DateTime.now, { days: 1 }))
  }).pipe(
    Effect.timeout(lastReportsTimeout),
    Effect.catchCause((cause) => Effect.logWarning(...Failure.logLine("Cannot report the last traffic", cause)))
  )

/**
 * Leases traffic from the database and reports the passed bytes, at least every second. Each report is one transaction
 * with a number of its own, so that a lost answer never leads to a double count.
 */
export class GatewayTraffic extends Context.Service<
  GatewayTraffic,
  {
    /** Returns the meter of a proxy, and makes one when it has none. */
    readonly meter: (proxy: GatewayProxy) => TrafficMeter
    /** The proxies with traffic whose rows have changed since they were read. Their notification may be lost. */
    readonly stale: Queue.Dequeue<GatewayProxyId>
  }
>()("app/gateway/GatewayTraffic") {
  static readonly layer = Layer.effect(
    GatewayTraffic,
    Effect.gen(function* () {
      const { traffic: repo } = yield* NodeControl
      const state = new ReportState()
      const watch = new SilenceWatch()
      const stale = yield* Queue.sliding<GatewayProxyId>(batch)
      const round = makeRound(state, repo, stale)

      yield* Effect.addFinalizer(() => finish(state, repo, round))
      yield* state.pause.pipe(
        Effect.andThen(Effect.andThen(round, settleSilent(watch, repo))),
        Effect.catchCause((cause) => {
          watch.startOver()
          return Effect.andThen(
            Effect.logWarning(...Failure.logLine("Cannot report traffic; trying again in a second", cause)),
            Effect.sleep(reportMillis)
          )
        }),
        Effect.forever,
        Effect.forkScoped
      )

      return GatewayTraffic.of({
        stale,
        meter: (proxy) => {
          const meter = state.meters.get(proxy.id) ?? new TrafficMeter(proxy.id, state.demand, repo.journal)
          meter.retired = false
          state.meters.set(proxy.id, meter)
          return meter
        }
      })
    })
  )
}
