import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Latch, Layer } from "effect"

/** The least time between two wake-ups: a process that commits often sends many together. */
const collectMillis = 5
/** The ids that wait for each function. Listeners find further ones on their own. */
const maxIds = 10_000
/** The time that a stop waits for the last wake-ups. */
const drain = "1 second"

/** Functions of the database, and the ids that they get. */
type Collected = Map<string, Set<string>>

/** The wake-ups of a transaction. */
interface Transaction {
  readonly collected: Collected
  hasEnded: boolean
}

const collect = (into: Collected, name: string, ids: Iterable<string>) => {
  const known = into.get(name) ?? new Set()
  into.set(name, known)
  for (const id of ids) if (known.size < maxIds) known.add(id)
}

const Running = Context.Reference<Transaction | undefined>("app/platform/Wakes/Running", {
  defaultValue: () => undefined
})

/** On the time of the machine, also under the clock of a test. */
const pause = Effect.callback<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), collectMillis)
  return Effect.sync(() => clearTimeout(timer))
})

/**
 * Wakes the processes that listen for committed work, on a connection of its own. A commit that notifies waits for every
 * other such commit, so transactions write rows only, and this service notifies after them. A wake-up is lost when its
 * process dies before it is sent: listeners also look for their work every second.
 */
export class Wakes extends Context.Service<
  Wakes,
  {
    /** Calls `wake_{name}` of the database with these ids: after the running transaction, or immediately without one. */
    readonly wake: (name: string, ids: ReadonlyArray<string>) => Effect.Effect<void>
    /** Runs a transaction, and sends its wake-ups when it has ended. A part of another transaction sends none itself. */
    readonly after: <A, E, R>(transaction: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("app/platform/Wakes") {
  static readonly layerNoDeps = Layer.effect(
    Wakes,
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const isWaiting = Latch.makeUnsafe(false)
      let waiting: Collected = new Map()

      const add = (collected: Collected) => {
        if (collected.size === 0) return
        for (const [name, ids] of collected) collect(waiting, name, ids)
        isWaiting.openUnsafe()
      }

      // These commits hold the lock of `NOTIFY`, and nothing is lost with them, so they do not wait for the disk.
      const call = ([name, ids]: readonly [string, Set<string>]) => sql`
        SELECT set_config('synchronous_commit', 'off', true), ${sql(`wake_${name}`)}(${[...ids]}::uuid[])
      `

      const send = Effect.suspend(() => {
        const batch = waiting
        waiting = new Map()
        isWaiting.closeUnsafe()
        return Effect.forEach(batch, (one) => Effect.retry(call(one), { times: 1 }), { discard: true }).pipe(
          Effect.onInterrupt(() => Effect.sync(() => add(batch)))
        )
      }).pipe(Effect.catchCause((cause) => Effect.logDebug("Cannot wake listeners; they look every second", cause)))

      yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(send), drain))
      yield* isWaiting.await.pipe(Effect.andThen(send), Effect.andThen(pause), Effect.forever, Effect.forkScoped)

      const wake = Effect.fnUntraced(function* (name: string, ids: ReadonlyArray<string>) {
        if (ids.length === 0) return
        const running = yield* Running
        if (running !== undefined && !running.hasEnded) collect(running.collected, name, ids)
        else add(new Map([[name, new Set(ids)]]))
      })

      const after = <A, E, R>(transaction: Effect.Effect<A, E, R>) =>
        Effect.flatMap(Running, (outer) => {
          if (outer !== undefined && !outer.hasEnded) return transaction
          const running: Transaction = { collected: new Map(), hasEnded: false }
          // Also when it failed: a commit whose answer is lost may have succeeded.
          const end = Effect.sync(() => {
            running.hasEnded = true
            add(running.collected)
          })
          return Effect.ensuring(Effect.provideService(transaction, Running, running), end)
        })

      return Wakes.of({ wake, after })
    })
  )
}
