import { Context, DateTime, Effect, Layer } from "effect"
import { Notifications } from "../notifications/Notifications.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import type { DueDelivery } from "./DueDelivery.ts"
import type { AttemptResult } from "./WebhookAttempt.ts"
import { WebhookDeliveriesRepo } from "./WebhookDeliveriesRepo.ts"
import * as WebhookHealth from "./WebhookHealth.ts"
import { verdict } from "./WebhookRetryPolicy.ts"
import { type Settled, type SettledEndpoint, WebhookSettlementRepo } from "./WebhookSettlementRepo.ts"

export interface EndedAttempt extends Pick<DueDelivery, "id" | "endpoint_id" | "attempt"> {
  readonly result: AttemptResult
  readonly ended_at: DateTime.Utc
}

const settled = ({ attempt, ended_at, id, result }: EndedAttempt): Settled => {
  const outcome = verdict(attempt, result.status_code)
  const end =
    outcome.status === "pending"
      ? { next_attempt_at: DateTime.addDuration(ended_at, outcome.wait), finished_at: null }
      : { next_attempt_at: null, finished_at: ended_at }
  return { ...result, ...end, id, attempt, status: outcome.status }
}

const healthAfter = (endpoint: SettledEndpoint, attempts: ReadonlyArray<EndedAttempt>) =>
  attempts
    .filter(({ endpoint_id }) => endpoint_id === endpoint.id)
    .toSorted((a, b) => DateTime.Order(a.ended_at, b.ended_at))
    .reduce(
      (health, { ended_at, result }) => WebhookHealth.after(health, { delivered: result.error === null, ended_at }),
      endpoint
    )

/**
 * Records the results of attempts and the health of their endpoints, in one transaction. Settling is idempotent.
 */
export class WebhookSettlement extends Context.Service<
  WebhookSettlement,
  {
    /** Returns the attempts whose endpoints another transaction holds. The caller settles them later. */
    readonly settle: <A extends EndedAttempt>(attempts: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<A>>
  }
>()("app/webhooks/WebhookSettlement") {
  static readonly layerNoDeps = Layer.effect(
    WebhookSettlement,
    Effect.gen(function* () {
      const repo = yield* WebhookSettlementRepo
      const deliveries = yield* WebhookDeliveriesRepo
      const notifications = yield* Notifications
      const atomically = yield* Atomically

      const record = Effect.fnUntraced(function* (attempts: ReadonlyArray<EndedAttempt>) {
        const ids = new Set(attempts.map(({ endpoint_id }) => endpoint_id))
        const endpoints = yield* repo.lockEndpoints([...ids])
        for (const { id } of endpoints) ids.delete(id)
        const locked = new Set(ids.size === 0 ? [] : yield* repo.existing([...ids]))
        yield* repo.settle(attempts.filter(({ endpoint_id }) => !ids.has(endpoint_id)).map(settled))
        const changes = endpoints.map((before) => ({ before, now: healthAfter(before, attempts) }))
        yield* repo.updateEndpoints(changes.filter(({ before, now }) => before !== now).map(({ now }) => now))
        const disabled = changes.filter(({ before, now }) => before.enabled && !now.enabled).map(({ now }) => now.id)
        if (disabled.length > 0) yield* deliveries.cancelPending(disabled, yield* DateTime.now)
        yield* notifications.add(changes.flatMap(({ before, now }) => WebhookHealth.noticesOf(before, now)))
        return { disabled, locked }
      }, atomically)

      const settle = Effect.fn("WebhookSettlement.settle")(function* <A extends EndedAttempt>(
        attempts: ReadonlyArray<A>
      ) {
        const { disabled, locked } = yield* record(attempts)
        for (const id of disabled)
          yield* Effect.logInfo(`The service disabled webhook endpoint ${id}: no delivery has reached it for five days`)
        return attempts.filter(({ endpoint_id }) => locked.has(endpoint_id))
      })

      return WebhookSettlement.of({ settle })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([WebhookSettlementRepo.layer, WebhookDeliveriesRepo.layer])
  )
}
