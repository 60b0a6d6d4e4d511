import { Context, DateTime, Deferred, Effect, Layer, Option } from "effect"
import { CredentialChanges } from "../accounts/CredentialChanges.ts"
import { RecentMap } from "../platform/RecentMap.ts"
import { type ConnectionState, ConnectionStatesRepo } from "./ConnectionStatesRepo.ts"

const limits = { heldMillis: 60_000, entries: 10_000 }

interface Held {
  readonly state: ConnectionState
  readonly until: number
}

/**
 * Caches the states of live connections, each for at most one minute. A change drops the cached state. It also drops a
 * read in progress: requests that already wait for the read get its result, later requests read again. While this
 * instance may have missed a change (`CredentialChanges`), each request reads.
 */
export class ConnectionStates extends Context.Service<
  ConnectionStates,
  {
    readonly find: (connection_id: string) => Effect.Effect<Option.Option<ConnectionState>>
    /** Drops the cached states of a grant, without waiting for the notification of the database. */
    readonly forget: (grant_id: string) => Effect.Effect<void>
  }
>()("app/oauth/ConnectionStates") {
  static readonly layerNoDeps = Layer.effect(
    ConnectionStates,
    Effect.gen(function* () {
      const changes = yield* CredentialChanges
      const repo = yield* ConnectionStatesRepo
      const scope = yield* Effect.scope
      const held = new RecentMap<string, Held>(limits.entries)
      const reads = new Map<string, Deferred.Deferred<Option.Option<ConnectionState>>>()

      const hold = (id: string, state: ConnectionState, now: number) =>
        held.set(id, { state, until: Math.min(now + limits.heldMillis, DateTime.toEpochMillis(state.expires_at)) })

      const forget = (grant_id: string) => {
        reads.clear()
        for (const [id, { state }] of held) if (state.grant_id === grant_id) held.delete(id)
      }

      const forgetAll = () => {
        reads.clear()
        held.clear()
      }

      // Reads in a separate fiber, because the first request may be interrupted while other requests wait.
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
        const millis = DateTime.toEpochMillis(now)
        if (!changes.isUpToDate(millis)) return yield* read(id, now)
        const known = held.get(id)
        if (known !== undefined && millis < known.until) return Option.some(known.state)
        const inProgress = reads.get(id)
        return yield* inProgress === undefined ? read(id, now) : Deferred.await(inProgress)
      })

      yield* changes.subscribe((subject) => {
        if (subject === undefined) forgetAll()
        else if (subject.startsWith("grant:")) forget(subject.slice("grant:".length))
      })

      return ConnectionStates.of({ find, forget: (grant_id) => Effect.sync(() => forget(grant_id)) })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([ConnectionStatesRepo.layer, CredentialChanges.layer]))
}
