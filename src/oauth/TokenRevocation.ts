import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Atomically } from "../platform/postgres/Atomically.ts"
import * as Secrets from "../platform/Secrets.ts"
import { AccessTokens } from "./AccessTokens.ts"
import { ConnectionStates } from "./ConnectionStates.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import { type OAuthRefused, refused } from "./OAuthErrors.ts"
import { TokensRepo } from "./TokensRepo.ts"

/** Revokes tokens for their clients (RFC 7009). */
export class TokenRevocation extends Context.Service<
  TokenRevocation,
  {
    /** Ends the connection of an access or refresh token. An unknown or expired token is not an error. */
    readonly revoke: (client: OAuthClient, token: string) => Effect.Effect<void, OAuthRefused>
  }
>()("app/oauth/TokenRevocation") {
  static readonly layerNoDeps = Layer.effect(
    TokenRevocation,
    Effect.gen(function* () {
      const accessTokens = yield* AccessTokens
      const atomically = yield* Atomically
      const repo = yield* TokensRepo
      const states = yield* ConnectionStates

      const lockByToken = Effect.fnUntraced(function* (token: string) {
        const byRefreshToken = yield* repo.lockByRefreshToken(Secrets.digest(token))
        if (Option.isSome(byRefreshToken)) return byRefreshToken
        const claims = yield* accessTokens.read(token)
        return Option.isNone(claims) ? Option.none() : yield* repo.lockById(claims.value.connection_id)
      })

      /** Finds the connection of the token and ends it if it belongs to this client; none for an unknown token. */
      const ended = Effect.fnUntraced(function* (client: OAuthClient, token: string) {
        const found = yield* lockByToken(token)
        if (Option.isSome(found) && found.value.client_id === client.id)
          yield* repo.revoke(found.value.id, "client", yield* DateTime.now)
        return found
      }, atomically)

      const revoke = Effect.fn("TokenRevocation.revoke")(function* (client: OAuthClient, token: string) {
        const connection = yield* ended(client, token)
        if (Option.isNone(connection)) return
        if (connection.value.client_id !== client.id)
          return yield* refused("invalid_grant", "The token was issued to another client")
        yield* states.forget(connection.value.grant_id)
      })

      return TokenRevocation.of({ revoke })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([AccessTokens.layer, ConnectionStates.layer, TokensRepo.layer])
  )
}
