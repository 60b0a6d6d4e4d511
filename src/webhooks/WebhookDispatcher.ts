import { type Cause, Context, DateTime, Duration, Effect, Latch, Layer, Semaphore } from "effect"
import * as Failure from "../platform/Failure.ts"
import { WebhookAttempts } from "./WebhookAttempts.ts"
import { WebhookDeliveriesRepo } from "./WebhookDeliveriesRepo.ts"
import type { WebhookEndpointId } from "./WebhookEndpoint.ts"
import { limits, WebhookQueue } from "./WebhookQueue.ts"

/** Longer than an attempt and its settlement take. */
const lease = Duration.seconds(30)
/** How long a stop waits for the turn that is being taken. */
const drain = "3 seconds"

/** The queue, and two signals: there is somebody to be sent to; there is nothing to do. */
const watched = () => {
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

const again = Effect.fnUntraced(function* (what: string, cause: Cause.Cause<unknown>) {
  yield* Effect.logWarning(...Failure.told(`${what}; trying again`, cause))
  yield* Effect.sleep("1 second")
})

/**
 * Sends what is due, as soon as the database tells of it: to many endpoints at a time, to each only as much as it takes.
 * A delivery is leased for the time of its attempt; one that is lost with the process is found by `WebhookRetries`.
 */
export class WebhookDispatcher extends Context.Service<
  WebhookDispatcher,
  {
    /** Looks through the database for endpoints with something due. */
    readonly wakeDue: Effect.Effect<void>
    /** Waits until nothing that this instance knows of is due, in flight or unsettled. */
    readonly idle: Effect.Effect<void>
  }
>()("app/webhooks/WebhookDispatcher") {
  static readonly layerNoDeps = Layer.effect(
    WebhookDispatcher,
    Effect.gen(function* () {
      const repo = yield* WebhookDeliveriesRepo
      const attempts = yield* WebhookAttempts
      const inTurn = Semaphore.makeUnsafe(1)
      const { change, idle, turns } = watched()
      let isStopping = false

      const wake = (ids: Iterable<WebhookEndpointId>) =>
        change((queue) => {
          for (const id of ids) queue.wake(id)
        })

      const wakeDue = Effect.gen(function* () {
        const due = yield* repo.dueEndpoints(yield* DateTime.now, limits.endpoints)
        change((queue) => due.forEach(({ endpoint_id, is_failing }) => queue.wake(endpoint_id, is_failing)))
      }).pipe(Effect.withSpan("WebhookDispatcher.wakeDue"))

      const sendTurns = Effect.gen(function* () {
        const taken = change((queue) => queue.take())
        if (taken.length === 0) return
        const now = yield* DateTime.now
        const leaseEnds = DateTime.addDuration(now, lease)
        const putBack = Effect.sync(() => change((queue) => taken.forEach((turn) => queue.putBack(turn))))
        const claimed = yield* Effect.onError(repo.claim(taken, now, leaseEnds), () => putBack)
        const found = Map.groupBy(claimed, ({ endpoint_id }) => endpoint_id)
        change((queue) =>
          taken.forEach((turn) => {
            const due = found.get(turn.endpoint_id) ?? []
            queue.taken(turn, due.length, due[0]?.is_failing)
          })
        )
        for (const delivery of claimed)
          yield* attempts.begin(delivery, leaseEnds, (delivered) =>
            change((queue) => queue.ended(delivery.endpoint_id, delivered))
          )
      }).pipe(inTurn.withPermits(1))

      yield* repo.onRecorded(wakeDue, wake).pipe(
        Effect.catchCause((cause) => again("Not listening for webhook deliveries", cause)),
        Effect.forever,
        Effect.forkScoped
      )
      yield* Effect.andThen(
        turns.await,
        Effect.suspend(() => (isStopping ? Effect.never : sendTurns))
      ).pipe(
        Effect.catchCause((cause) => again("Webhook deliveries could not be taken up", cause)),
        Effect.forever,
        Effect.forkScoped
      )
      yield* Effect.addFinalizer(() => {
        isStopping = true
        return Effect.timeoutOption(Effect.interruptible(inTurn.take(1)), drain)
      })

      return WebhookDispatcher.of({ wakeDue, idle: Effect.andThen(idle.await, attempts.settled) })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([WebhookDeliveriesRepo.layer, WebhookAttempts.layer]))
}
