import { Context, Effect, Layer, Option } from "effect"
import type { Scope } from "../accounts/Scope.ts"
import type { UserId } from "../accounts/User.ts"
import { AccessTokens } from "./AccessTokens.ts"
import { ConnectionStates } from "./ConnectionStates.ts"
import * as OAuthScope from "./OAuthScope.ts"

/** The account and the app of an OAuth access token. */
export interface OAuthCaller {
  readonly user_id: UserId
  readonly client_id: string
  readonly connection_id: string
  readonly grant_id: string
  /** The current scopes of the grant, reduced to the token's own scopes when a refresh narrowed the token. */
  readonly scopes: ReadonlyArray<Scope>
  /** The current limit of the grant, in micro-dollars; null means no limit. */
  readonly daily_spend_limit_usd: bigint | null
}

/**
 * Verifies access tokens for the tool server: first the signature, then the state of the connection. It caches the state
 * for at most one minute and drops it as soon as the database notifies it of a change.
 */
export class AccessTokenVerifier extends Context.Service<
  AccessTokenVerifier,
  { readonly verify: (token: string) => Effect.Effect<Option.Option<OAuthCaller>> }
>()("app/oauth/AccessTokenVerifier") {
  static readonly layerNoDeps = Layer.effect(
    AccessTokenVerifier,
    Effect.gen(function* () {
      const tokens = yield* AccessTokens
      const states = yield* ConnectionStates

      const verify = Effect.fn("AccessTokenVerifier.verify")(function* (token: string) {
        const claims = yield* tokens.read(token)
        if (Option.isNone(claims)) return Option.none()
        const { client_id, connection_id, narrowed, scope, sub } = claims.value
        const state = yield* states.find(connection_id)
        if (Option.isNone(state) || state.value.user_id !== sub || state.value.client_id !== client_id)
          return Option.none()
        const own = narrowed === true ? OAuthScope.parse(scope) : state.value.scopes
        const scopes = state.value.scopes.filter((held) => own.includes(held))
        const { daily_spend_limit_usd, grant_id } = state.value
        return Option.some({ user_id: sub, client_id, connection_id, grant_id, scopes, daily_spend_limit_usd })
      })

      return AccessTokenVerifier.of({ verify })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([AccessTokens.layer, ConnectionStates.layer]))
}
