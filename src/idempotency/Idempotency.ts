import { Context, DateTime, Effect, Layer, Option, type Schema } from "effect"
import type { UserId } from "../accounts/User.ts"
import { Atomically, type StatementPart } from "../platform/postgres/Atomically.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { canonicalDigest } from "../platform/fields/CanonicalJson.ts"
import { IdempotencyKeyReused, RequestStillRunning } from "./IdempotencyErrors.ts"
import { IdempotencyRepo, type Scope } from "./IdempotencyRepo.ts"

/** A request that spends money, and the idempotency key that makes it safe to repeat. */
export interface SpendingRequest {
  readonly user_id: UserId
  readonly operation: string
  readonly key: string | undefined
  readonly body: unknown
}

/**
 * The work that must happen once, committed together with the claim of the key. It is an effect, which runs in one
 * transaction with the claim, or a function that runs one statement with `claiming` as its part. The function returns
 * false when another request has claimed the key and the statement changed nothing. A failure also removes the claim.
 */
type Charge<E, R> = Effect.Effect<void, E, R> | ((claiming: StatementPart | undefined) => Effect.Effect<boolean, E, R>)

export interface Steps<E, R> {
  /**
   * Identifies the result of this charge. It is chosen before the charge, stored with the key and passed to `finish`.
   */
  readonly reference: Schema.Json
  readonly charge: Charge<E, R>
  /**
   * Continues after a committed charge. It must be repeatable, because the next request with the key runs it after a
   * crash. It fails when the charge was undone, which frees the key. It fails with `RequestStillRunning` when the
   * result is not known yet; the next request with the key then runs it again.
   */
  readonly finish: (reference: Schema.Json) => Effect.Effect<Schema.Json, E | RequestStillRunning, R>
}

export interface Outcome {
  readonly answer: Schema.Json
  /** True when an earlier request with the key produced the answer. */
  readonly replayed: boolean
}

type Step<E, R> = Effect.Effect<Outcome | "unclaimed" | "running", E | IdempotencyKeyReused | RequestStillRunning, R>

const retention = { hours: 24 }
const lease = { seconds: 30 }
const patience = "45 seconds"

/**
 * Makes a spending operation safe to repeat (docs/contract.md, "Idempotency"). A key is charged once; a later request
 * with the key receives the stored answer; a different request with the key fails. A request that fails frees its key.
 */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    readonly perform: <E, R>(
      request: SpendingRequest,
      steps: Steps<E, R>
    ) => Effect.Effect<Outcome, E | IdempotencyKeyReused | RequestStillRunning, R>
  }
>()("app/idempotency/Idempotency") {
  static readonly layerNoDeps = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const repo = yield* IdempotencyRepo
      const atomically = yield* Atomically

      /** All requests with the key receive the answer that is stored first. */
      const finish = Effect.fnUntraced(function* <E, R>(scope: Scope, steps: Steps<E, R>, reference: Schema.Json) {
        const answer = yield* Effect.tapError(steps.finish(reference), (error) =>
          error instanceof RequestStillRunning ? repo.leave(scope, reference) : repo.free(scope, reference)
        )
        return yield* repo.answer(scope, reference, answer)
      })

      const claimAndCharge = Effect.fnUntraced(function* <E, R>(
        scope: Scope,
        hash: string,
        { charge, reference }: Steps<E, R>
      ) {
        const now = yield* DateTime.now
        const claiming = repo.claiming(scope, {
          request_hash: hash,
          reference,
          busy_until: DateTime.add(now, lease),
          expires_at: DateTime.add(now, retention)
        })
        if (!Effect.isEffect(charge)) return yield* charge(claiming)
        const claimed = Rows.any(claiming)
        return yield* atomically(Effect.tap(claimed, (claimed) => (claimed ? charge : Effect.void)))
      })

      /** Reads the state of the key, and takes over a claim whose lease has ended. */
      const observe = Effect.fnUntraced(function* <E, R>(scope: Scope, hash: string, steps: Steps<E, R>) {
        const claim = Option.getOrUndefined(yield* repo.find(scope))
        const now = yield* DateTime.now
        if (claim === undefined) return "unclaimed" as const
        if (DateTime.isLessThanOrEqualTo(claim.expires_at, now)) {
          yield* repo.remove(scope, now)
          return "unclaimed" as const
        }
        if (claim.request_hash !== hash) return yield* new IdempotencyKeyReused({ details: {} })
        if (claim.answer !== null) return { answer: claim.answer, replayed: true }
        if (DateTime.isGreaterThan(claim.busy_until, now)) return "running" as const
        const mine = yield* repo.takeOver(scope, now, DateTime.add(now, lease))
        return mine ? { answer: yield* finish(scope, steps, claim.reference), replayed: true } : ("running" as const)
      })

      const settle = Effect.fnUntraced(function* <E, R>(scope: Scope, hash: string, steps: Steps<E, R>) {
        // The key is read before it is claimed, so that a replay costs one query and writes nothing.
        let next: Outcome | "unclaimed" | "running" = yield* Effect.uninterruptible(observe(scope, hash, steps))
        while (typeof next === "string") {
          if (next === "running") yield* Effect.sleep("50 millis")
          const step: Step<E, R> =
            next === "running"
              ? observe(scope, hash, steps)
              : Effect.flatMap(claimAndCharge(scope, hash, steps), (claimed) =>
                  claimed
                    ? Effect.map(finish(scope, steps, steps.reference), (answer) => ({ answer, replayed: false }))
                    : observe(scope, hash, steps)
                )
          next = yield* Effect.uninterruptible(step)
        }
        return next
      })

      const perform = Effect.fnUntraced(function* <E, R>(request: SpendingRequest, steps: Steps<E, R>) {
        const { body, key, ...owner } = request
        if (key === undefined) {
          const charged = Effect.isEffect(steps.charge) ? atomically(steps.charge) : steps.charge(undefined)
          const work = Effect.flatMap(charged, () => steps.finish(steps.reference))
          return { answer: yield* Effect.uninterruptible(work), replayed: false }
        }
        const outcome = settle({ ...owner, key }, canonicalDigest(body), steps)
        return yield* Effect.timeoutOrElse(outcome, {
          duration: patience,
          orElse: () => new RequestStillRunning({ details: {} })
        })
      })

      return Idempotency.of({ perform })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(IdempotencyRepo.layer))
}
