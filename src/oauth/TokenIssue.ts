import { Context, DateTime, Effect, Layer } from "effect"
import type { Scope } from "../accounts/Scope.ts"
import * as Secrets from "../platform/Secrets.ts"
import { AccessTokens, accessTokenSeconds } from "./AccessTokens.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import * as OAuthScope from "./OAuthScope.ts"
import { type Connection, TokensRepo } from "./TokensRepo.ts"

const refreshTokenDays = 30

/** The answer of the token endpoint (RFC 6749 section 5.1). */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: "Bearer"
  /** Lifetime of the access token in seconds. */
  readonly expires_in: 900
  /** Absent when the client did not register the grant type `refresh_token`. */
  readonly refresh_token?: string
  /** The granted scopes. */
  readonly scope: string
}

/** Issues the tokens of a connection. */
export class TokenIssue extends Context.Service<
  TokenIssue,
  {
    /** The caller holds the lock of the connection and extends it to `until`, the expiry of the tokens. */
    readonly issue: (
      client: OAuthClient,
      connection: Connection,
      scopes: ReadonlyArray<Scope>,
      now: DateTime.Utc
    ) => Effect.Effect<{ readonly tokens: TokenResponse; readonly until: DateTime.Utc }>
  }
>()("app/oauth/TokenIssue") {
  static readonly layerNoDeps = Layer.effect(
    TokenIssue,
    Effect.gen(function* () {
      const accessTokens = yield* AccessTokens
      const repo = yield* TokensRepo

      const issue = Effect.fn("TokenIssue.issue")(function* (
        client: OAuthClient,
        { id: connection_id, resource, scopes: held, user_id }: Connection,
        scopes: ReadonlyArray<Scope>,
        now: DateTime.Utc
      ) {
        const access_token = yield* accessTokens.issue({
          user_id,
          client_id: client.id,
          connection_id,
          resource,
          scopes,
          is_narrowed: scopes.length < held.length
        })
        const answer = { access_token, token_type: "Bearer", expires_in: accessTokenSeconds } as const
        const scope = OAuthScope.format(scopes)
        if (!client.grant_types.includes("refresh_token"))
          return { tokens: { ...answer, scope }, until: DateTime.add(now, { seconds: accessTokenSeconds }) }
        const refresh_token = yield* Secrets.make("prt_")
        const expires_at = DateTime.add(now, { days: refreshTokenDays })
        const token_hash = Secrets.digest(refresh_token)
        yield* repo.insertRefreshToken({ token_hash, connection_id, created_at: now, expires_at, used_at: null })
        return { tokens: { ...answer, refresh_token, scope }, until: expires_at }
      })

      return TokenIssue.of({ issue })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([AccessTokens.layer, TokensRepo.layer]))
}
