import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import * as Secrets from "../../platform/Secrets.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import { EmailTokensRepo } from "../EmailTokensRepo.ts"
import { KnownBrowsersRepo } from "../KnownBrowsersRepo.ts"
import type { UserId } from "../User.ts"

/** A browser stays known this long after its last sign-in. */
export const knownFor = Duration.days(180)
const knownPerAccount = 10

const shape = /^[\w-]{43}$/

/** Hashes a secret; undefined when the text does not have the form of a secret. */
const hashOf = (secret = "") => (shape.test(secret) ? Secrets.digest(secret) : undefined)

/** The parts of a sign-in request that can hold a pass. */
interface Given {
  readonly email: string
  /** The cookie of a browser that may have signed in before. */
  readonly browser?: string | undefined
  /** The token of a mailed link. */
  readonly unlock?: string | undefined
}

/**
 * Passes let the owner of an account past the sign-in limits, which strangers can use up. A pass is a browser in which the
 * account has signed in before, or a link mailed to its address. The owner still needs the password. Each pass has a limit
 * of its own.
 */
export class SignInPasses extends Context.Service<
  SignInPasses,
  {
    /** Finds the pass for this email; returns the key under which its limit counts. */
    readonly find: (given: Given) => Effect.Effect<Option.Option<string>>
    /**
     * Makes a browser known to the account, in the caller's transaction. Returns the value of its cookie, which replaces the
     * earlier one; the service stores only the hash.
     */
    readonly remember: (user_id: UserId, before: string | undefined) => Effect.Effect<string>
    /** Queues a mail with a link. Treats an email without an account the same, so that the answer reveals no account. */
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
