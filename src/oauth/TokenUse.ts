import { Context, type DateTime, Effect, Layer } from "effect"
import type { OAuthEvent } from "./OAuthEvent.ts"
import { OAuthEventsRepo } from "./OAuthEventsRepo.ts"
import { type Connection, type RevokedReason, TokensRepo } from "./TokensRepo.ts"

/** Records the use of codes and refresh tokens, in the caller's transaction. */
export class TokenUse extends Context.Service<
  TokenUse,
  {
    readonly record: (
      kind: OAuthEvent["kind"],
      connection: Connection,
      client_address: string,
      now: DateTime.Utc
    ) => Effect.Effect<void>
    /** Ends a connection whose code or refresh token was used again, and records this. */
    readonly endReused: (
      kind: Exclude<RevokedReason, "client">,
      connection: Connection,
      client_address: string,
      now: DateTime.Utc
    ) => Effect.Effect<void>
  }
>()("app/oauth/TokenUse") {
  static readonly layerNoDeps = Layer.effect(
    TokenUse,
    Effect.gen(function* () {
      const events = yield* OAuthEventsRepo
      const repo = yield* TokensRepo

      const record = (
        kind: OAuthEvent["kind"],
        { client_id, id, scopes, user_id }: Connection,
        client_address: string,
        occurred_at: DateTime.Utc
      ) =>
        events.record({
          occurred_at,
          kind,
          user_id,
          client_id,
          connection_id: id,
          scopes,
          reason: null,
          client_address
        })

      const endReused = Effect.fnUntraced(function* (
        kind: Exclude<RevokedReason, "client">,
        connection: Connection,
        client_address: string,
        now: DateTime.Utc
      ) {
        if (connection.revoked_at !== null) return
        yield* record(kind, connection, client_address, now)
        yield* repo.revoke(connection.id, kind, now)
      })

      return TokenUse.of({ record, endReused })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([OAuthEventsRepo.layer, TokensRepo.layer]))
}
