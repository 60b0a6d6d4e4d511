import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { resources, typ } from "../accounts/OAuthAccessToken.ts"
import type { Scope } from "../accounts/Scope.ts"
import { SigningKeys } from "../accounts/sessions/SigningKeys.ts"
import { UserId } from "../accounts/User.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as OAuthScope from "./OAuthScope.ts"

/** How long an access token lives. */
export const accessTokenSeconds = 900

const Claims = Schema.Struct({
  sub: UserId,
  client_id: Schema.String,
  connection_id: Schema.String.check(Schema.isUUID()),
  scope: Schema.String,
  /** There when a refresh asked for less than the grant holds: then `scope` binds, beside the grant. */
  narrowed: Schema.optionalKey(Schema.Literal(true))
})
type Claims = typeof Claims.Type
const decodeClaims = Schema.decodeUnknownOption(Claims)

/** What an access token is made for. */
export interface AccessTokenFor {
  readonly user_id: UserId
  readonly client_id: string
  readonly connection_id: string
  readonly resource: string
  readonly scopes: ReadonlyArray<Scope>
  readonly is_narrowed: boolean
}

/** Access tokens: JWTs of 15 minutes (specification section 5.2). */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    readonly issue: (token: AccessTokenFor) => Effect.Effect<string>
    /** What a genuine, unexpired token for one of this service's resources says; its connection may have ended. */
    readonly read: (token: string) => Effect.Effect<Option.Option<Claims>>
  }
>()("app/oauth/AccessTokens") {
  static readonly layerNoDeps = Layer.effect(
    AccessTokens,
    Effect.gen(function* () {
      const keys = yield* SigningKeys
      const audiences = resources(yield* Addresses)

      return AccessTokens.of({
        issue: Effect.fn("AccessTokens.issue")(function* (token) {
          const iat = Math.floor(DateTime.toEpochMillis(yield* DateTime.now) / 1000)
          return yield* keys.sign(typ, {
            aud: token.resource,
            sub: token.user_id,
            client_id: token.client_id,
            connection_id: token.connection_id,
            scope: OAuthScope.format(token.scopes),
            ...(token.is_narrowed ? { narrowed: true } : {}),
            jti: SecureRandom.uuidV7Unsafe(),
            iat,
            exp: iat + accessTokenSeconds
          })
        }),
        read: (token) => Effect.map(keys.verify(typ, audiences, token), Option.flatMap(decodeClaims))
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Addresses.layer, SigningKeys.layer]))
}
