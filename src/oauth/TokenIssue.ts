import { Context, DateTime, Effect, Layer } from "effect"
import type { Scope } from "../accounts/Scope.ts"
import * as Secrets from "../platform/Secrets.ts"
import { AccessTokens, accessTokenSeconds } from "./AccessTokens.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import * as OAuthScope from "./OAuthScope.ts"
import { type Connection, TokensRepo } from "./TokensRepo.ts"

const refreshTokenDays = 30

/** What the token endpoint answers (specification section 5.2). */
export interface TokenResponse {
  readonly access_token: string
  readonly token_type: "Bearer"
  /** Seconds. */
  readonly expires_in: 900
  /** Absent for a client that has not the grant type `refresh_token`. */
  readonly refresh_token?: string
  /** What was granted. */
  readonly scope: string
}

/** Makes the tokens of a connection. */
export class TokenIssue extends Context.Service<
  TokenIssue,
  {
    /** Under the lock of the connection, which must be made to last as long as they do: `until`. */
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
