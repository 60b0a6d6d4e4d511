import { Context, DateTime, Deferred, Effect, Layer, Option, Schedule } from "effect"
import * as Failure from "../platform/errors/Failure.ts"
import { type ConnectionState, ConnectionStatesRepo } from "./ConnectionStatesRepo.ts"

const limits = { heldMillis: 60_000, entries: 10_000 }

interface Held {
  readonly state: ConnectionState
  readonly until: number
}

/**
 * The states of live connections, each held for at most a minute and forgotten when the database tells of a change. A
 * change drops the reads under way too: those who wait for one get what it finds, but nobody who asks later does.
 */
export class ConnectionStates extends Context.Service<
  ConnectionStates,
  {
    readonly find: (connection_id: string) => Effect.Effect<Option.Option<ConnectionState>>
    /** Forgets what is held of a grant, without waiting for the database to tell. */
    readonly forget: (grant_id: string) => Effect.Effect<void>
  }
>()("app/oauth/ConnectionStates") {
  static readonly layerNoDeps = Layer.effect(
    ConnectionStates,
    Effect.gen(function* () {
      const repo = yield* ConnectionStatesRepo
      const scope = yield* Effect.scope
      const held = new Map<string, Held>()
      const reads = new Map<string, Deferred.Deferred<Option.Option<ConnectionState>>>()

      const hold = (id: string, state: ConnectionState, now: number) => {
        held.delete(id)
        if (held.size >= limits.entries)
          for (const oldest of held.keys()) {
            held.delete(oldest)
            break
          }
        held.set(id, { state, until: Math.min(now + limits.heldMillis, DateTime.toEpochMillis(state.expires_at)) })
      }

      const forget = (grant_id: string) => {
        reads.clear()
        for (const [id, { state }] of held) if (state.grant_id === grant_id) held.delete(id)
      }

      const began = Effect.sync(() => {
        reads.clear()
        held.clear()
      })

      // Not in the fiber of the first who asks: that one may be interrupted while others wait.
      const read = (id: string, now: DateTime.Utc) => {
        const found = Deferred.makeUnsafe<Option.Option<ConnectionState>>()
        reads.set(id, found)
        return repo.findLive(id, now).pipe(
          Effect.tap((state) =>
            Effect.sync(() => {
              if (Option.isSome(state) && reads.get(id) === found) hold(id, state.value, DateTime.toEpochMillis(now))
            })
          ),
          Effect.onExit((exit) =>
            Effect.sync(() => {
              if (reads.get(id) === found) reads.delete(id)
              Deferred.doneUnsafe(found, exit)
            })
          ),
          Effect.forkIn(scope),
          Effect.andThen(Deferred.await(found))
        )
      }

      const find = Effect.fnUntraced(function* (id: string) {
        const now = yield* DateTime.now
        const known = held.get(id)
        if (known !== undefined && DateTime.toEpochMillis(now) < known.until) return Option.some(known.state)
        const underWay = reads.get(id)
        return yield* underWay === undefined ? read(id, now) : Deferred.await(underWay)
      })

      yield* repo.listen({ began, changed: forget }).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning(...Failure.told("Not listening for changes of connected apps; trying again", cause))
        ),
        Effect.repeat(Schedule.spaced("1 second")),
        Effect.forkScoped
      )

      return ConnectionStates.of({ find, forget: (grant_id) => Effect.sync(() => forget(grant_id)) })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ConnectionStatesRepo.layer))
}
