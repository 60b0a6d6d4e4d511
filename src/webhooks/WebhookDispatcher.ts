import { type Cause, Context, DateTime, Effect, Exit, FiberSet, Latch, Layer, Semaphore } from "effect"
import * as Failure from "../platform/errors/Failure.ts"
import type { DueDelivery } from "./DueDelivery.ts"
import { lease } from "./WebhookAttempt.ts"
import { WebhookDeliveriesRepo } from "./WebhookDeliveriesRepo.ts"
import { limits, WebhookQueue } from "./WebhookQueue.ts"
import { WebhookResults } from "./WebhookResults.ts"
import { WebhookSender } from "./WebhookSender.ts"

/** A receiver that needs more time than this is slow. */
const promptMillis = 1000
/** A stop waits this long for the current turn. The leases of an interrupted turn expire later. */
const turnDrain = "1 second"
/** A stop then waits this long for the attempts under way. */
const attemptsDrain = "2 seconds"

/** The queue with two signals: `turns` opens when an endpoint has a turn, `idle` when no work is left. */
const signallingQueue = () => {
  const queue = new WebhookQueue()
  const turns = Latch.makeUnsafe(false)
  const idle = Latch.makeUnsafe(true)
  const change = <A>(how: (queue: WebhookQueue) => A): A => {
    const answer = how(queue)
    if (queue.hasTurns) turns.openUnsafe()
    else turns.closeUnsafe()
    if (queue.isIdle) idle.openUnsafe()
    else idle.closeUnsafe()
    return answer
  }
  return { change, turns, idle }
}

const pauseAfter = Effect.fnUntraced(function* (what: string, cause: Cause.Cause<unknown>) {
  yield* Effect.logWarning(...Failure.logLine(`${what}; the service tries again in a second`, cause))
  yield* Effect.sleep("1 second")
})

/** Makes attempts and records their results. */
const makeAttempt = Effect.gen(function* () {
  const sender = yield* WebhookSender
  const results = yield* WebhookResults
  return Effect.fnUntraced(
    function* (delivery: DueDelivery) {
      const { attempt, endpoint_id, id } = delivery
      const result = yield* sender.attempt(delivery)
      if (result.error !== null) yield* Effect.logDebug(`Attempt ${attempt} of webhook delivery ${id}: ${result.error}`)
      yield* results.settle({ id, endpoint_id, attempt, result, ended_at: yield* DateTime.now })
      return result
    },
    Effect.tapCause((cause) => Effect.logError(...Failure.logLine("A webhook attempt failed", cause)))
  )
})

/**
 * Sends due deliveries as soon as the database announces them: to many endpoints at a time, to each only as many as it
 * can take. A delivery is leased for the time of its attempt. `WebhookRetries` finds the attempts of a dead process.
 */
export class WebhookDispatcher extends Context.Service<
  WebhookDispatcher,
  {
    /** Finds the endpoints with due deliveries in the database. */
    readonly wakeDue: Effect.Effect<void>
    /** Waits until this instance knows of no delivery that is due, in flight or unsettled. */
    readonly idle: Effect.Effect<void>
  }
>()("app/webhooks/WebhookDispatcher") {
  static readonly layerNoDeps = Layer.effect(
    WebhookDispatcher,
    Effect.gen(function* () {
      const repo = yield* WebhookDeliveriesRepo
      const attempt = yield* makeAttempt
      const underWay = yield* FiberSet.make()
      const inTurn = Semaphore.makeUnsafe(1)
      const { change, idle, turns } = signallingQueue()

      const wakeDue = Effect.gen(function* () {
        const due = yield* repo.dueEndpoints(yield* DateTime.now, limits.endpoints)
        change((queue) => due.forEach(({ endpoint_id, is_proven }) => queue.wake(endpoint_id, is_proven)))
      }).pipe(Effect.withSpan("WebhookDispatcher.wakeDue"))

      const begin = (delivery: DueDelivery) =>
        attempt(delivery).pipe(
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (Exit.isFailure(exit)) return change((queue) => queue.ended(delivery.endpoint_id))
              const { duration_ms, error } = exit.value
              change((queue) => queue.ended(delivery.endpoint_id, error === null, duration_ms < promptMillis))
            })
          ),
          FiberSet.run(underWay)
        )

      const sendTurns = Effect.gen(function* () {
        const taken = change((queue) => queue.take())
        if (taken.length === 0) return
        const now = yield* DateTime.now
        const putBack = Effect.sync(() => change((queue) => taken.forEach((turn) => queue.putBack(turn))))
        const claimed = yield* Effect.onError(repo.claim(taken, now, DateTime.addDuration(now, lease)), () => putBack)
        const found = Map.groupBy(claimed, ({ endpoint_id }) => endpoint_id)
        change((queue) =>
          taken.forEach((turn) => {
            const due = found.get(turn.endpoint_id) ?? []
            queue.taken(turn, due.length, due[0]?.is_proven)
          })
        )
        yield* Effect.forEach(claimed, begin, { discard: true })
      }).pipe(inTurn.withPermits(1))

      yield* Effect.addFinalizer(() =>
        Effect.timeoutOption(Effect.interruptible(FiberSet.awaitEmpty(underWay)), attemptsDrain)
      )
      yield* repo
        .onRecorded(wakeDue, (ids) => change((queue) => ids.forEach((id) => queue.wake(id))))
        .pipe(
          Effect.catchCause((cause) => pauseAfter("Cannot listen for webhook deliveries", cause)),
          Effect.forever,
          Effect.forkScoped
        )
      yield* Effect.andThen(turns.await, sendTurns).pipe(
        Effect.catchCause((cause) => pauseAfter("Cannot claim webhook deliveries", cause)),
        Effect.forever,
        Effect.forkScoped
      )
      yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(inTurn.take(1)), turnDrain))

      return WebhookDispatcher.of({ wakeDue, idle: idle.await })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([WebhookDeliveriesRepo.layer, WebhookResults.layer, WebhookSender.layer])
  )
}
