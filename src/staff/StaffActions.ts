import { Context, Effect, Layer, Option, Schema } from "effect"
import { canonicalDigest } from "../platform/fields/CanonicalJson.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import type { Actor } from "./Actor.ts"
import { ActionKeyReused } from "./StaffErrors.ts"
import { StaffActionsRepo } from "./StaffActionsRepo.ts"

interface KeyedAction<A> {
  readonly actor: Actor["Service"]
  /** The `Idempotency-Key`: a UUID, which the action takes as the id of its record. */
  readonly key: string
  /** Names the operation, such as `createRefund`. */
  readonly operation: string
  /** Everything that the caller chose: path and body. */
  readonly content: Schema.Json
  /** Writes the answer for the record of the key, and reads it for a repetition. It must hold no secret. */
  readonly answer: Schema.Codec<A, Schema.Json>
}

interface Outcome<A> {
  readonly answer: A
  /** True when an earlier request with the key produced the answer. */
  readonly replayed: boolean
}

/** Runs actions of staff at most once for each key, for ever. */
export class StaffActions extends Context.Service<
  StaffActions,
  {
    /**
     * Runs `act` in one transaction with the record of the key. It records its audit event too. A failure undoes all, and
     * frees the key. The same person with the same content gets the first answer.
     */
    readonly once: <A, E, R>(
      action: KeyedAction<A>,
      act: Effect.Effect<A, E, R>
    ) => Effect.Effect<Outcome<A>, E | ActionKeyReused, R>
  }
>()("app/staff/StaffActions") {
  static readonly layerNoDeps = Layer.effect(
    StaffActions,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const repo = yield* StaffActionsRepo

      const once = Effect.fn("StaffActions.once")(function* <A, E, R>(
        { actor, answer, content, key, operation }: KeyedAction<A>,
        act: Effect.Effect<A, E, R>
      ) {
        const id = key.toLowerCase()
        const request_hash = canonicalDigest([operation, actor.staff_id, content])
        const earlier = yield* repo.claim(id)
        if (Option.isNone(earlier)) {
          const made = yield* act
          yield* repo.insert({ id, operation, request_hash }, Schema.encodeSync(answer)(made))
          return { answer: made, replayed: false }
        }
        if (earlier.value.request_hash !== request_hash) return yield* new ActionKeyReused({ details: {} })
        return { answer: Schema.decodeSync(answer)(earlier.value.answer), replayed: true }
      }, atomically)

      return StaffActions.of({ once })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(StaffActionsRepo.layer))
}
