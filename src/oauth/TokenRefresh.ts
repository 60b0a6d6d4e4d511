import { Context, DateTime, Effect, Layer, Option, Result } from "effect"
import { Addresses } from "../platform/settings/Addresses.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import * as Secrets from "../platform/Secrets.ts"
import { Clients } from "./Clients.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import type { OAuthRefused } from "./OAuthErrors.ts"
import * as TokenChecks from "./TokenChecks.ts"
import { TokenIssue, type TokenResponse } from "./TokenIssue.ts"
import { TokensRepo } from "./TokensRepo.ts"
import { TokenUse } from "./TokenUse.ts"

interface Refresh {
  readonly refresh_token: string
  readonly scope: string | undefined
  readonly resource: string | undefined
  readonly client_address: string
}

/** Exchanges a refresh token for new tokens (RFC 6749 section 6). A second use of the token ends its connection. */
export class TokenRefresh extends Context.Service<
  TokenRefresh,
  { readonly refresh: (client: OAuthClient, given: Refresh) => Effect.Effect<TokenResponse, OAuthRefused> }
>()("app/oauth/TokenRefresh") {
  static readonly layerNoDeps = Layer.effect(
    TokenRefresh,
    Effect.gen(function* () {
      const addresses = yield* Addresses
      const atomically = yield* Atomically
      const clients = yield* Clients
      const repo = yield* TokensRepo
      const { issue } = yield* TokenIssue
      const { endReused, record } = yield* TokenUse

      /** Returns a refusal as a result, not as a failure: a reused token ends its connection, which must be committed. */
      const refreshed = Effect.fnUntraced(function* (
        client: OAuthClient,
        given: Refresh
      ): Effect.fn.Return<Result.Result<TokenResponse, OAuthRefused>> {
        const token_hash = Secrets.digest(given.refresh_token)
        const found = yield* repo.lockByRefreshToken(token_hash)
        if (Option.isNone(found) || found.value.client_id !== client.id) return TokenChecks.unknownToken
        const connection = found.value
        // Read the token under the lock: another request may have used it before.
        const token = yield* repo.refreshToken(token_hash)
        if (Option.isNone(token)) return TokenChecks.unknownToken
        const now = yield* DateTime.now
        if (token.value.used_at !== null) {
          yield* endReused("refresh_token_reused", connection, given.client_address, now)
          return TokenChecks.reusedToken
        }
        const checked = Result.gen(function* () {
          yield* TokenChecks.tokenAge(connection, token.value, now)
          yield* TokenChecks.resource(addresses, connection, given.resource)
          return yield* TokenChecks.scopes(connection, given.scope)
        })
        if (Result.isFailure(checked)) return Result.fail(checked.failure)
        const scopes = checked.success
        yield* repo.useRefreshToken(token_hash, now)
        const { tokens, until } = yield* issue(client, connection, scopes, now)
        yield* repo.extend(connection.id, now, until)
        yield* record("refreshed", { ...connection, scopes }, given.client_address, now)
        return Result.succeed(tokens)
      }, atomically)

      const refresh = Effect.fn("TokenRefresh.refresh")(function* (client: OAuthClient, given: Refresh) {
        const tokens = yield* Effect.fromResult(yield* refreshed(client, given))
        yield* clients.markUsed(client)
        return tokens
      })

      return TokenRefresh.of({ refresh })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Addresses.layer, Clients.layer, TokenIssue.layer, TokensRepo.layer, TokenUse.layer])
  )
}
