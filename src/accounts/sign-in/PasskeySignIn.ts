import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import { PasskeyRefused, type PasskeyTooLate, type SignInBlocked, SignInExpired } from "../AccountErrors.ts"
import { CredentialsRepo } from "../CredentialsRepo.ts"
import { type Answer, type Offer, PasskeyProofs, type Proof } from "../passkeys/PasskeyProofs.ts"
import { PasskeysRepo } from "../PasskeysRepo.ts"
import { PendingSignInsRepo } from "../PendingSignInsRepo.ts"
import { Restrictions } from "../restrictions/Restrictions.ts"
import { type BrowserCookies, BrowserSessions } from "../sessions/BrowserSessions.ts"
import { UsersRepo } from "../UsersRepo.ts"

/** The browser of a sign-in. */
interface Browser {
  /** The hash of the cookie that identifies the browser. */
  readonly hash: string
  /** The value of the cookie from its earlier sign-in (`SignInPasses`). */
  readonly known?: string | undefined
}

/**
 * Signs people in in a browser with a passkey. The authenticator has the passkey and confirms the person, so a passkey counts
 * as both steps: it needs neither the password nor a code.
 */
export class PasskeySignIn extends Context.Service<
  PasskeySignIn,
  {
    /** Asks the browser for a passkey; none when the address of the service cannot have passkeys. */
    readonly offer: (browser_hash: string) => Effect.Effect<Option.Option<Offer>>
    /** The same for the second step; none also when no sign-in waits, or its account has no passkey. */
    readonly secondOffer: (browser_hash: string) => Effect.Effect<Option.Option<Offer>>
    /** Returns the cookies of the browser. */
    readonly complete: (
      browser: Browser,
      answer: Answer
    ) => Effect.Effect<BrowserCookies, PasskeyRefused | PasskeyTooLate | SignInBlocked | RateLimited>
    /** Completes the sign-in that waits in the browser, with a passkey of the same account. */
    readonly completeSecond: (
      browser: Browser,
      answer: Answer
    ) => Effect.Effect<BrowserCookies, PasskeyRefused | PasskeyTooLate | SignInBlocked | SignInExpired | RateLimited>
  }
>()("app/accounts/PasskeySignIn") {
  static readonly layerNoDeps = Layer.effect(
    PasskeySignIn,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const credentials = yield* CredentialsRepo
      const passkeys = yield* PasskeysRepo
      const pending = yield* PendingSignInsRepo
      const proofs = yield* PasskeyProofs
      const restrictions = yield* Restrictions
      const sessions = yield* BrowserSessions
      const users = yield* UsersRepo

      const waiting = Effect.fnUntraced(function* (hash: string) {
        return yield* pending.find(hash, yield* DateTime.now)
      })

      const secondOffer = Effect.fn("PasskeySignIn.secondOffer")(function* (hash: string) {
        const found = yield* waiting(hash)
        if (Option.isNone(found) || (yield* passkeys.count(found.value.user_id)) === 0) return Option.none()
        return yield* proofs.ask(hash)
      })

      /** Returns none rather than fails for a passkey that is refused: the refusal must be committed. */
      const start = Effect.fnUntraced(function* ({ hash, known }: Browser, proof: Proof, isSecond: boolean) {
        const { user_id } = proof.passkey
        const account = yield* credentials.lock(user_id)
        const user = yield* users.find(user_id)
        if (Option.isNone(account) || Option.isNone(user)) return yield* new PasskeyRefused()
        const found = yield* waiting(hash)
        if (isSecond && Option.isNone(found)) return yield* new SignInExpired()
        if (isSecond && !Option.exists(found, (row) => row.user_id === user_id)) return yield* new PasskeyRefused()
        if (!(yield* proofs.use(account.value, proof))) return Option.none()
        if (account.value.access_blocked) yield* restrictions.mayEnter(user_id)
        yield* pending.remove(hash)
        return Option.some(yield* sessions.start(user.value, known))
      }, atomically)

      const completed = (isSecond: boolean) =>
        Effect.fnUntraced(function* (browser: Browser, answer: Answer) {
          const cookies = yield* start(browser, yield* proofs.verify(browser.hash, answer), isSecond)
          return Option.isSome(cookies) ? cookies.value : yield* new PasskeyRefused()
        })

      const first = completed(false)
      return PasskeySignIn.of({
        offer: proofs.ask,
        secondOffer,
        complete: (browser, answer) =>
          Effect.catchTag(first(browser, answer), "SignInExpired", () => new PasskeyRefused()),
        completeSecond: completed(true)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      BrowserSessions.layer,
      CredentialsRepo.layer,
      PasskeyProofs.layer,
      PasskeysRepo.layer,
      PendingSignInsRepo.layer,
      Restrictions.layer,
      UsersRepo.layer
    ])
  )
}
