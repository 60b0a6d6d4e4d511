import { Clock, Context, Deferred, Duration, Effect, Layer, Schedule, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import * as Failure from "../platform/errors/Failure.ts"
import { CredentialChangesRepo } from "./CredentialChangesRepo.ts"

/** A credential, or an account with all its credentials: `api_key:<id>`, `session:<id>`, `account:<id>` or `grant:<id>` of an OAuth app. */
export type Subject = `${"api_key" | "session" | "account" | "grant"}:${string}`

/** Drops what was read about a subject; without one, everything that was read. */
type Drop = (subject?: Subject) => void

const heartbeatInterval = "1 second"
/** Time that a request waits for its own heartbeat. */
const catchUpWithin = "1 second"
/** An instance is out of date when it sent its last received heartbeat earlier than this. */
const staleAfterMillis = Duration.toMillis("3 seconds")
/** Without a heartbeat for this time, the log says so. */
const warnAfterMillis = Duration.toMillis("30 seconds")

const silent =
  "The database delivers no notifications to this process, so every request reads its credentials from the database. A pooler in transaction mode does that: give DATABASE_URL an address without it"

/** Makes the effect that logs a long silence, once for each. It runs after every heartbeat. */
const warnOfSilence = (now: () => number, isUpToDate: () => boolean) => {
  /** The time since which no heartbeat has come; undefined when the log has said so. */
  let since: number | undefined = now()
  return Effect.suspend(() => {
    if (isUpToDate()) since = now()
    if (since === undefined || now() - since < warnAfterMillis) return Effect.void
    since = undefined
    return Effect.logWarning(silent)
  })
}

/**
 * Tells which credentials changed, on any instance: the database notifies every instance after the commit. Each instance
 * also notifies itself every second (a heartbeat). The database keeps the order of the commits, so an instance that
 * receives its heartbeat has received every earlier change. A copy of a credential may be used only while this instance
 * is up to date.
 */
export class CredentialChanges extends Context.Service<
  CredentialChanges,
  {
    /** Calls `drop` for every change until the scope closes. */
    readonly subscribe: (drop: Drop) => Effect.Effect<void, never, Scope.Scope>
    /**
     * Waits until this instance has received every change that is committed. Operations that end or change a credential
     * answer after this, so their caller finds the change in force. Not for use within a transaction.
     */
    readonly caughtUp: Effect.Effect<void>
    /** True when this instance has received every change that is older than three seconds. */
    readonly isUpToDate: () => boolean
  }
>()("app/accounts/CredentialChanges") {
  static readonly layerNoDeps = Layer.effect(
    CredentialChanges,
    Effect.gen(function* () {
      const repo = yield* CredentialChangesRepo
      const drops = new Set<Drop>()
      const self = randomUUID()
      const clock = yield* Clock.Clock
      /** Milliseconds that never go back, as the wall clock can. Only this process compares them. */
      const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
      /** Every change that was committed before this time has arrived. */
      let upToDateUntil = Number.NEGATIVE_INFINITY
      /** Heartbeats of this time or earlier prove nothing, because a change after them has not arrived. */
      let missedAt = Number.NEGATIVE_INFINITY

      const drop: Drop = (subject) => drops.forEach((one) => one(subject))
      const becomeStale = Effect.sync(() => void (upToDateUntil = Number.NEGATIVE_INFINITY))

      /** Requests that wait for a heartbeat, by its number. */
      const waiting = new Map<string, Deferred.Deferred<void>>()
      let lastNumber = 0
      const sendHeartbeat = (number: string) =>
        Effect.suspend(() => repo.notify(`heartbeat:${self}:${now()}:${number}`))
      const unnumbered = sendHeartbeat("")

      const receive = (payload: string) => {
        const [kind, sender, sentAt, number = ""] = payload.split(":")
        if (kind !== "heartbeat") return drop(payload as Subject)
        if (sender !== self) return
        if (Number(sentAt) > missedAt) upToDateUntil = Number(sentAt)
        const waiter = waiting.get(number)
        if (waiter !== undefined) Deferred.doneUnsafe(waiter, Effect.void)
      }

      const caughtUp = Effect.suspend(() => {
        const began = now()
        const number = String(++lastNumber)
        const waiter = Deferred.makeUnsafe<void>()
        waiting.set(number, waiter)
        return Effect.andThen(sendHeartbeat(number), Deferred.await(waiter)).pipe(
          Effect.timeout(catchUpWithin),
          // The copies of this instance may be old, so it uses none of them until a later heartbeat arrives.
          Effect.catchCause(() =>
            Effect.andThen(
              Effect.sync(() => void (missedAt = began)),
              becomeStale
            )
          ),
          Effect.ensuring(Effect.sync(() => waiting.delete(number)))
        )
      })

      /** Done when the first attempt to listen has begun or failed. */
      const tried = Deferred.makeUnsafe<void>()
      const began = Effect.all([Effect.sync(drop), Deferred.succeed(tried, undefined), unnumbered], { discard: true })
      const listening = repo.listen({ began, receive }).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning(...Failure.logLine("Cannot listen for changes of credentials; trying again", cause))
        ),
        Effect.ensuring(Effect.andThen(becomeStale, Deferred.succeed(tried, undefined)))
      )
      yield* Effect.forkScoped(Effect.repeat(listening, Schedule.spaced("1 second")))
      // A heartbeat that takes longer than this proves nothing. A failure needs no log line: without heartbeats, this
      // instance is out of date and uses no copies.
      const isUpToDate = () => now() - upToDateUntil < staleAfterMillis
      const warn = warnOfSilence(now, isUpToDate)
      const regular = Effect.andThen(Effect.ignoreCause(Effect.timeout(unnumbered, staleAfterMillis)), warn)
      yield* Effect.forkScoped(Effect.repeat(regular, Schedule.spaced(heartbeatInterval)))
      // Nobody receives a heartbeat before this, so a request would wait in vain.
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
        isUpToDate
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(CredentialChangesRepo.layer))
}
