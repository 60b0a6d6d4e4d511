import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import * as Secrets from "../../platform/Secrets.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import { EmailTokensRepo } from "../EmailTokensRepo.ts"
import { KnownBrowsersRepo } from "../KnownBrowsersRepo.ts"
import type { UserId } from "../User.ts"

/** A browser stays known for this time after its last sign-in. */
export const knownFor = Duration.days(180)
const knownPerAccount = 10

const shape = /^[\w-]{43}$/

/** The hash of a secret; undefined when the text cannot be one. */
const hashOf = (secret = "") => (shape.test(secret) ? Secrets.digest(secret) : undefined)

/** The parts of a sign-in that may hold a pass. */
interface Given {
  readonly email: string
  /** The cookie of a browser that may have signed in before. */
  readonly browser?: string | undefined
  /** The token of a mailed link. */
  readonly unlock?: string | undefined
}

/**
 * Passes lead past the limits of signing in that strangers can use up: a browser in which the account signed in before, or a
 * link mailed to its address. The password is needed all the same, and each pass has a limit of its own.
 */
export class SignInPasses extends Context.Service<
  SignInPasses,
  {
    /** The pass for this email among what is given, by the name that its limit counts. */
    readonly find: (given: Given) => Effect.Effect<Option.Option<string>>
    /**
     * Makes a browser known to the account, in the caller's transaction; answers its cookie's value, which is not kept and
     * takes the place of the one before.
     */
    readonly remember: (user_id: UserId, before: string | undefined) => Effect.Effect<string>
    /** Mails a link. An email without an account is treated the same. */
    readonly mail: (email: string) => Effect.Effect<void>
  }
>()("app/accounts/SignInPasses") {
  static readonly layerNoDeps = Layer.effect(
    SignInPasses,
    Effect.gen(function* () {
      const browsers = yield* KnownBrowsersRepo
      const outbox = yield* EmailOutbox
      const tokens = yield* EmailTokensRepo

      const isMailed = Effect.fnUntraced(function* (hash: string, email: string, now: DateTime.Utc) {
        const owner = yield* tokens.owner(hash, "sign_in_unlock", now)
        return Option.isSome(owner) && owner.value.email === email
      })

      const find = Effect.fn("SignInPasses.find")(function* ({ browser, email, unlock }: Given) {
        const now = yield* DateTime.now
        const [link, known] = [hashOf(unlock), hashOf(browser)]
        if (link !== undefined && (yield* isMailed(link, email, now))) return Option.some(link)
        if (known !== undefined && (yield* browsers.isKnown(known, email, now))) return Option.some(known)
        return Option.none()
      })

      const remember = Effect.fn("SignInPasses.remember")(function* (user_id: UserId, before: string | undefined) {
        const created_at = yield* DateTime.now
        const token = yield* Secrets.make("")
        if (before !== undefined) yield* browsers.remove(Secrets.digest(before))
        yield* browsers.removeOldest(user_id, knownPerAccount - 1)
        yield* browsers.insert({
          token_hash: Secrets.digest(token),
          user_id,
          created_at,
          expires_at: DateTime.addDuration(created_at, knownFor)
        })
        return token
      })

      return SignInPasses.of({
        find,
        remember,
        mail: (email) => outbox.add({ kind: "sign_in_unlock", to_address: email })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([EmailOutbox.layer, EmailTokensRepo.layer, KnownBrowsersRepo.layer])
  )
}
