import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import { OtpInvalid, OtpRequired, type SignInBlocked, SignInExpired, WrongCredentials } from "../AccountErrors.ts"
import { AuthLimits } from "../AuthLimits.ts"
import { type BrowserCookies, BrowserSessions } from "../sessions/BrowserSessions.ts"
import { CredentialsRepo } from "../CredentialsRepo.ts"
import { Passwords } from "../passwords/Passwords.ts"
import { PendingSignInsRepo } from "../PendingSignInsRepo.ts"
import { Restrictions } from "../restrictions/Restrictions.ts"
import { SecondFactors } from "../second-factor/SecondFactors.ts"
import { Sessions } from "../sessions/Sessions.ts"
import type { SessionTokensView } from "../SessionTokensView.ts"
import type { UserId } from "../User.ts"
import { UsersRepo } from "../UsersRepo.ts"

/** A sign-in in a browser waits this long for the second factor. */
const waitsFor = Duration.minutes(10)
const waitingPerAccount = 10

/** The browser of a sign-in. */
interface Browser {
  /** The hash of the cookie that identifies the browser. */
  readonly hash: string
  /** The value of the cookie from its earlier sign-in (`SignInPasses`). */
  readonly known?: string | undefined
}

/** An account whose password matched, with the hash that it matched. */
interface Verified {
  readonly id: UserId
  readonly hash: string | null
}

/** Finds the accounts that sign in, and proves their second factor. */
const makeAccounts = Effect.gen(function* () {
  const credentials = yield* CredentialsRepo
  const limits = yield* AuthLimits
  const passwords = yield* Passwords
  const restrictions = yield* Restrictions
  const secondFactors = yield* SecondFactors
  const users = yield* UsersRepo

  const verify = Effect.fnUntraced(function* (email: string, password: string) {
    const found = yield* credentials.findByEmail(email)
    const hash = Option.match(found, { onNone: () => null, onSome: ({ password_hash }) => password_hash })
    const right = yield* passwords.verify(password, hash)
    if (Option.isNone(found) || !right) return yield* new WrongCredentials()
    return { id: found.value.id, hash } satisfies Verified
  })

  /** Locks the account; fails when the password changed after the comparison, and while the person is shut out. */
  const lock = Effect.fnUntraced(function* ({ hash, id }: Verified) {
    const locked = yield* credentials.lock(id)
    const user = yield* users.find(id)
    if (Option.isNone(locked) || Option.isNone(user) || locked.value.password_hash !== hash)
      return yield* new WrongCredentials()
    if (locked.value.access_blocked) yield* restrictions.mayEnter(id)
    return user.value
  })

  /** Uses up a code of the locked account. */
  const prove = (id: UserId, otp: string) =>
    limits.otp(
      id,
      Effect.filterOrFail(secondFactors.use(id, otp), Boolean, () => new OtpInvalid({ details: {} }))
    )

  return { verify, lock, prove, isGuarded: secondFactors.isOn }
})

/** Signs people in in a browser. */
const makeInBrowser = Effect.gen(function* () {
  const accounts = yield* makeAccounts
  const atomically = yield* Atomically
  const credentials = yield* CredentialsRepo
  const pending = yield* PendingSignInsRepo
  const sessions = yield* BrowserSessions
  const users = yield* UsersRepo

  const wait = Effect.fnUntraced(function* (user_id: UserId, browser_hash: string) {
    const created_at = yield* DateTime.now
    const expires_at = DateTime.addDuration(created_at, waitsFor)
    yield* pending.put({ browser_hash, user_id, created_at, expires_at })
    yield* pending.removeOldest(user_id, waitingPerAccount)
  })

  /** Returns none rather than fails for an account with a second factor: the sign-in that waits must be committed. */
  const start = Effect.fnUntraced(function* (verified: Verified, { hash, known }: Browser) {
    const user = yield* accounts.lock(verified)
    if (!(yield* accounts.isGuarded(user.id))) return Option.some(yield* sessions.start(user, known))
    yield* wait(user.id, hash)
    return Option.none()
  }, atomically)

  const inBrowser = Effect.fn("SignIn.inBrowser")(function* (email: string, password: string, browser: Browser) {
    const cookies = yield* start(yield* accounts.verify(email, password), browser)
    return Option.isSome(cookies) ? cookies.value : yield* new OtpRequired({ details: {} })
  })

  const waiting = Effect.fnUntraced(function* (hash: string) {
    return yield* pending.find(hash, yield* DateTime.now)
  })

  const withOtp = Effect.fn("SignIn.withOtp")(function* ({ hash, known }: Browser, otp: string) {
    const found = yield* waiting(hash)
    if (Option.isNone(found)) return yield* new SignInExpired()
    const { user_id } = found.value
    yield* credentials.lock(user_id)
    // Another request may have ended the sign-in while this one waited for the lock.
    // A restriction ends it as well.
    const still = Option.exists(yield* waiting(hash), (row) => row.user_id === user_id)
    const user = yield* users.find(user_id)
    if (!still || Option.isNone(user)) return yield* new SignInExpired()
    yield* accounts.prove(user_id, otp)
    yield* pending.remove(hash)
    return yield* sessions.start(user.value, known)
  }, atomically)

  return { inBrowser, isWaiting: (hash: string) => Effect.map(waiting(hash), Option.isSome), withOtp }
})

/** Signs people in. An account with a second factor also needs a code. */
export class SignIn extends Context.Service<
  SignIn,
  {
    /** `otp` is a code of the authenticator app, or a recovery code. An account without a second factor ignores it. */
    readonly login: (
      email: string,
      password: string,
      otp?: string | undefined
    ) => Effect.Effect<SessionTokensView, WrongCredentials | SignInBlocked | OtpRequired | OtpInvalid | RateLimited>
    /** Returns the cookies of the browser. After `OtpRequired`, the browser has 10 minutes for `withOtp`. */
    readonly inBrowser: (
      email: string,
      password: string,
      browser: Browser
    ) => Effect.Effect<BrowserCookies, WrongCredentials | SignInBlocked | OtpRequired | RateLimited>
    /** True while a sign-in of the browser waits for a code. */
    readonly isWaiting: (browser_hash: string) => Effect.Effect<boolean>
    /** Completes the sign-in that waits in the browser. */
    readonly withOtp: (
      browser: Browser,
      otp: string
    ) => Effect.Effect<BrowserCookies, SignInExpired | OtpInvalid | RateLimited>
  }
>()("app/accounts/SignIn") {
  static readonly layerNoDeps = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const accounts = yield* makeAccounts
      const atomically = yield* Atomically
      const sessions = yield* Sessions

      const start = Effect.fnUntraced(function* (verified: Verified, otp: string | undefined) {
        const user = yield* accounts.lock(verified)
        if (yield* accounts.isGuarded(user.id)) {
          if (otp === undefined) return yield* new OtpRequired({ details: {} })
          yield* accounts.prove(user.id, otp)
        }
        return yield* sessions.start(user)
      }, atomically)

      const login = Effect.fn("SignIn.login")(function* (email: string, password: string, otp?: string | undefined) {
        return yield* start(yield* accounts.verify(email, password), otp)
      })

      return SignIn.of({ login, ...(yield* makeInBrowser) })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      AuthLimits.layer,
      BrowserSessions.layer,
      CredentialsRepo.layer,
      Passwords.layer,
      PendingSignInsRepo.layer,
      Restrictions.layer,
      SecondFactors.layer,
      Sessions.layer,
      UsersRepo.layer
    ])
  )
}
