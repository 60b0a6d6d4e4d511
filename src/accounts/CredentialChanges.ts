import { Clock, Context, Deferred, Duration, Effect, Layer, Schedule, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import * as Failure from "../platform/errors/Failure.ts"
import { CredentialChangesRepo } from "./CredentialChangesRepo.ts"

/** A credential, or an account with all its credentials: `api_key:<id>`, `session:<id>`, `account:<id>` or `grant:<id>` of an OAuth app. */
export type Subject = `${"api_key" | "session" | "account" | "grant"}:${string}`

/** Drops what was read about a subject; without one, everything that was read. */
type Drop = (subject?: Subject) => void

/** An instance sends itself a word this often, so that it notices when it hears nothing. */
const beatEvery = "1 second"
/** Time that a request waits for the word that it sent. */
const catchUpWithin = "1 second"
/** An instance counts as deaf when the last word that it heard is older. */
const deafAfter = Duration.toMillis("3 seconds")

/**
 * Tells which credentials changed, on any instance: the database notifies every instance after the commit. What was read
 * about a credential may be used again only while this instance hears the database (`isHeard`).
 */
export class CredentialChanges extends Context.Service<
  CredentialChanges,
  {
    /** Calls `drop` for every change until the scope closes. */
    readonly subscribe: (drop: Drop) => Effect.Effect<void, never, Scope.Scope>
    /**
     * Waits until this instance has heard of every change that is committed. Operations that end or change a credential
     * answer after this, so their caller finds the change in force. Not for use within a transaction.
     */
    readonly caughtUp: Effect.Effect<void>
    /** True when every change older than three seconds has been heard. `now` is in milliseconds. */
    readonly isHeard: (now: number) => boolean
  }
>()("app/accounts/CredentialChanges") {
  static readonly layerNoDeps = Layer.effect(
    CredentialChanges,
    Effect.gen(function* () {
      const repo = yield* CredentialChangesRepo
      const drops = new Set<Drop>()
      const self = randomUUID()
      let heardAt = Number.NEGATIVE_INFINITY
      /** Words that were sent earlier prove nothing: a change after them may not have been heard. */
      let trustedAfter = Number.NEGATIVE_INFINITY

      const drop: Drop = (subject) => drops.forEach((one) => one(subject))
      const becomeDeaf = Effect.sync(() => void (heardAt = Number.NEGATIVE_INFINITY))

      /** Requests that wait for a word of this instance, by the number of the word. */
      const waiting = new Map<string, Deferred.Deferred<void>>()
      let said = 0
      const say = (number: string) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => repo.say(`beat:${self}:${now}:${number}`))
      const beat = say("")

      const heard = (word: string) => {
        const [kind, sender, sentAt, number = ""] = word.split(":")
        if (kind !== "beat") return drop(word as Subject)
        if (sender !== self) return
        if (Number(sentAt) > trustedAfter) heardAt = Number(sentAt)
        const waiter = waiting.get(number)
        if (waiter !== undefined) Deferred.doneUnsafe(waiter, Effect.void)
      }

      const caughtUp = Effect.flatMap(Clock.currentTimeMillis, (began) => {
        const number = String(++said)
        const waiter = Deferred.makeUnsafe<void>()
        waiting.set(number, waiter)
        return Effect.andThen(say(number), Deferred.await(waiter)).pipe(
          Effect.timeout(catchUpWithin),
          // What this instance remembers may be old, so it uses none of it until it hears a later word.
          Effect.catchCause(() =>
            Effect.andThen(
              Effect.sync(() => void (trustedAfter = began)),
              becomeDeaf
            )
          ),
          Effect.ensuring(Effect.sync(() => waiting.delete(number)))
        )
      })

      /** Done when the first attempt to listen has begun or failed. */
      const tried = Deferred.makeUnsafe<void>()
      const began = Effect.all([Effect.sync(drop), Deferred.succeed(tried, undefined), beat], { discard: true })
      const listening = repo.listen({ began, heard }).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning(...Failure.logLine("Cannot listen for changes of credentials; trying again", cause))
        ),
        Effect.ensuring(Effect.andThen(becomeDeaf, Deferred.succeed(tried, undefined)))
      )
      yield* Effect.forkScoped(Effect.repeat(listening, Schedule.spaced("1 second")))
      // A failure needs no log line: without the word, this instance counts as deaf.
      yield* Effect.forkScoped(Effect.repeat(Effect.ignoreCause(beat), Schedule.spaced(beatEvery)))

      // A request before that would wait in vain for the word that it sent.
      yield* Deferred.await(tried)

      return CredentialChanges.of({
        subscribe: (one) =>
          Effect.asVoid(
            Effect.acquireRelease(
              Effect.sync(() => drops.add(one)),
              () => Effect.sync(() => drops.delete(one))
            )
          ),
        caughtUp,
        isHeard: (now) => now - heardAt < deafAfter
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(CredentialChangesRepo.layer))
}
