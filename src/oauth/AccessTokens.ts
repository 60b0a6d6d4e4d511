import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { resources, typ } from "../accounts/OAuthAccessToken.ts"
import type { Scope } from "../accounts/Scope.ts"
import { SigningKeys } from "../accounts/sessions/SigningKeys.ts"
import { UserId } from "../accounts/User.ts"
import { Addresses } from "../platform/settings/Addresses.ts"
import * as OAuthScope from "./OAuthScope.ts"

/** Lifetime of an access token. */
export const accessTokenSeconds = 900

const Claims = Schema.Struct({
  sub: UserId,
  client_id: Schema.String,
  connection_id: Schema.String.check(Schema.isUUID()),
  scope: Schema.String,
  /** Present when a refresh requested fewer scopes than the grant holds. Then `scope` limits the token, as the grant does. */
  narrowed: Schema.optionalKey(Schema.Literal(true))
})
type Claims = typeof Claims.Type
const decodeClaims = Schema.decodeUnknownOption(Claims)

/** The content of an access token. */
export interface AccessTokenFor {
  readonly user_id: UserId
  readonly client_id: string
  readonly connection_id: string
  readonly resource: string
  readonly scopes: ReadonlyArray<Scope>
  readonly is_narrowed: boolean
}

/** Issues and reads access tokens: JWTs that expire after 15 minutes (docs/contract.md, "OAuth"). */
export class AccessTokens extends Context.Service<
  AccessTokens,
  {
    readonly issue: (token: AccessTokenFor) => Effect.Effect<string>
    /** Returns the claims of a genuine, unexpired token for one of this service's resources. Its connection may have ended. */
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
