import { Context, DateTime, Effect, Layer, type Option } from "effect"
import { CredentialChanges } from "../accounts/CredentialChanges.ts"
import * as RememberCredentials from "../accounts/RememberCredentials.ts"
import { type ConnectionState, ConnectionStatesRepo } from "./ConnectionStatesRepo.ts"

/** Finds the states of live connections, and remembers them like other credentials. */
export class ConnectionStates extends Context.Service<
  ConnectionStates,
  {
    readonly find: (connection_id: string) => Effect.Effect<Option.Option<ConnectionState>>
    /** Drops the remembered states of a grant, without waiting for the notification of the database. */
    readonly forget: (grant_id: string) => Effect.Effect<void>
  }
>()("app/oauth/ConnectionStates") {
  static readonly layerNoDeps = Layer.effect(
    ConnectionStates,
    Effect.gen(function* () {
      const repo = yield* ConnectionStatesRepo
      const remembered = yield* RememberCredentials.make<ConnectionState>({
        subjectsOf: ({ grant_id }) => [`grant:${grant_id}`],
        endOf: ({ expires_at }) => DateTime.toEpochMillis(expires_at)
      })

      const find = (id: string) => {
        const read = Effect.flatMap(DateTime.now, (now) => repo.findLive(id, now))
        return remembered.find(id, read)
      }

      const forget = (grant_id: string) => Effect.sync(() => remembered.forget(`grant:${grant_id}`))

      return ConnectionStates.of({ find, forget })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([ConnectionStatesRepo.layer, CredentialChanges.layer]))
}
