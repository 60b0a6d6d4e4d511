import { Context, DateTime, Duration, Effect, Layer, Option, Schema } from "effect"
import { Addresses } from "../../platform/settings/Addresses.ts"
import * as Secrets from "../../platform/Secrets.ts"
import { SigningKeys } from "../sessions/SigningKeys.ts"

const typ = "passkey+jwt"

/** A challenge can be answered this long. */
export const challengeLasts = Duration.minutes(5)

const Claims = Schema.Struct({
  challenge: Schema.String.check(Schema.isPattern(/^[\w-]{43}$/)),
  browser: Schema.String,
  purpose: Schema.String,
  exp: Schema.Int
})
const decodeClaims = Schema.decodeUnknownOption(Claims)

/** Who may answer a challenge, and for what. */
interface Bound {
  /** The hash of the browser's cookie, or the id of the session. */
  readonly browser: string
  readonly purpose: "sign-in" | "add"
}

/** A challenge, and the signed ticket with which the browser sends it back. */
export interface Challenge {
  readonly challenge: string
  readonly ticket: string
}

/**
 * Makes the challenges of passkeys. A challenge is 32 random bytes in base64url. The service does not store it: its ticket
 * names the browser, the purpose and the end, and is signed like the tokens of sessions. So a page that many strangers open
 * writes nothing. `PasskeysRepo.answer` gives each challenge one answer.
 */
export class PasskeyChallenges extends Context.Service<
  PasskeyChallenges,
  {
    readonly make: (bound: Bound) => Effect.Effect<Challenge>
    /** Finds the challenge of a ticket; none when it has expired, or belongs to another browser or purpose. */
    readonly read: (
      bound: Bound,
      ticket: string
    ) => Effect.Effect<Option.Option<{ readonly challenge: string; readonly expires_at: DateTime.Utc }>>
  }
>()("app/accounts/PasskeyChallenges") {
  static readonly layerNoDeps = Layer.effect(
    PasskeyChallenges,
    Effect.gen(function* () {
      const { app_url } = yield* Addresses
      const keys = yield* SigningKeys

      const make = Effect.fn("PasskeyChallenges.make")(function* ({ browser, purpose }: Bound) {
        const challenge = yield* Secrets.make("")
        const end = DateTime.addDuration(yield* DateTime.now, challengeLasts)
        const exp = Math.floor(DateTime.toEpochMillis(end) / 1000)
        return { challenge, ticket: yield* keys.sign(typ, { aud: app_url, challenge, browser, purpose, exp }) }
      })

      const read = Effect.fn("PasskeyChallenges.read")(function* ({ browser, purpose }: Bound, ticket: string) {
        const claims = Option.flatMap(yield* keys.verify(typ, app_url, ticket), decodeClaims)
        return claims.pipe(
          Option.filter((claims) => claims.browser === browser && claims.purpose === purpose),
          Option.map(({ challenge, exp }) => ({ challenge, expires_at: DateTime.makeUnsafe(exp * 1000) }))
        )
      })

      return PasskeyChallenges.of({ make, read })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide([Addresses.layer, SigningKeys.layer]))
}
