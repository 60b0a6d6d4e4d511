import { Context, Effect, Layer, Option } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import {
  PasskeyKnown,
  PasskeyNotFound,
  PasskeyNotMade,
  PasskeysNotPossible,
  PasskeyTooLate,
  SecondFactorNeedsEmail,
  TooManyPasskeys,
  type UserNotFound,
  WrongOtp,
  type WrongPassword
} from "../AccountErrors.ts"
import { AuthLimits } from "../AuthLimits.ts"
import { type Credentials, CredentialsRepo } from "../CredentialsRepo.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import { Passkey, type PasskeyId } from "../Passkey.ts"
import { PasskeysRepo } from "../PasskeysRepo.ts"
import { PasswordConfirmation } from "../passwords/PasswordConfirmation.ts"
import { SecondFactors } from "../second-factor/SecondFactors.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import type { UserId } from "../User.ts"
import { PasskeyChallenges } from "./PasskeyChallenges.ts"
import * as PasskeyMails from "./PasskeyMails.ts"
import type { Answer, Offer } from "./PasskeyProofs.ts"
import { type NewKey, WebAuthn } from "./WebAuthn.ts"

/** Limit of the passkeys of an account. */
const passkeysPerAccount = 10

/** The session of the request; it stays signed in. */
interface Session {
  readonly user_id: UserId
  readonly session_id: string
}

type Unproven = WrongPassword | RequestInvalid | UserNotFound | RateLimited

const boundTo = ({ session_id }: Session) => ({ browser: session_id, purpose: "add" as const })

interface Proof {
  readonly password: string | undefined
  /** A code of the second factor, if it is on. */
  readonly otp: string | undefined
}

/**
 * Makes the function that uses up a code of an account with a second factor. A passkey counts as both steps of a sign-in, so
 * the password alone must not lead to one.
 */
const makeProve = Effect.gen(function* () {
  const atomically = yield* Atomically
  const confirmation = yield* PasswordConfirmation
  const factors = yield* SecondFactors
  const limits = yield* AuthLimits

  return Effect.fnUntraced(function* (account: Credentials, otp = "") {
    yield* confirmation.lock(account)
    if (!(yield* factors.isOn(account.id))) return
    const used = Effect.filterOrFail(factors.use(account.id, otp), Boolean, () => new WrongOtp({ details: {} }))
    yield* limits.otp(account.id, used)
  }, atomically)
})

/** Adds passkeys: the password and the code first, then what the browser made. */
const makeAdding = Effect.gen(function* () {
  const atomically = yield* Atomically
  const challenges = yield* PasskeyChallenges
  const confirmation = yield* PasswordConfirmation
  const credentials = yield* CredentialsRepo
  const prove = yield* makeProve
  const repo = yield* PasskeysRepo
  const sessions = yield* Sessions
  const sessionsRepo = yield* SessionsRepo
  const tell = yield* PasskeyMails.make
  const webAuthn = yield* WebAuthn

  const begin = Effect.fn("Passkeys.begin")(function* (session: Session, { otp, password }: Proof) {
    const { user_id } = session
    if (!webAuthn.isPossible) return yield* new PasskeysNotPossible()
    const account = yield* confirmation.compare({ user_id, password, field: "password" })
    const { email, email_verified, id } = account
    if (!email_verified || email === null) return yield* new SecondFactorNeedsEmail({ details: {} })
    const existing = yield* repo.list(id)
    if (existing.length >= passkeysPerAccount) return yield* new TooManyPasskeys()
    yield* prove(account, otp)
    const { challenge, ticket } = yield* challenges.make(boundTo(session))
    const owned = existing.map(({ credential_id }) => credential_id)
    return { ticket, options: webAuthn.creationOptions(challenge, { id, email, credentials: owned }) }
  })

  /** Locks the account. A session that has ended meanwhile, as after another password, adds nothing. */
  const lock = Effect.fnUntraced(function* ({ session_id, user_id }: Session) {
    const isHeld = yield* sessions.hold(session_id, user_id)
    const account = Option.getOrUndefined(yield* credentials.find(user_id))
    if (!isHeld || account === undefined) return yield* new PasskeyTooLate()
    return account.email_verified ? account : yield* new SecondFactorNeedsEmail({ details: {} })
  })

  const store = Effect.fnUntraced(function* (session: Session, key: NewKey & { readonly name: string }) {
    const account = yield* lock(session)
    if ((yield* repo.count(account.id)) >= passkeysPerAccount) return yield* new TooManyPasskeys()
    const row = yield* Effect.orDie(
      Passkey.insert.makeEffect({ ...key, user_id: account.id, last_used_at: null, refused_at: null })
    )
    if (!(yield* repo.insert(row))) return yield* new PasskeyKnown()
    yield* sessionsRepo.removeOthers(account.id, session.session_id)
    yield* tell(account, "passkey_added", key.name)
  })

  const add = Effect.fn("Passkeys.add")(function* (session: Session, { credential, name, ticket }: NewPasskey) {
    const asked = Option.getOrUndefined(yield* challenges.read(boundTo(session), ticket))
    if (asked === undefined) return yield* new PasskeyTooLate()
    const key = yield* webAuthn
      .created(credential, asked.challenge)
      .pipe(Effect.catchTag("NotProven", () => new PasskeyNotMade()))
    return yield* atomically(
      Effect.gen(function* () {
        yield* store(session, { ...key, name })
        if (!(yield* repo.answer(asked.challenge, asked.expires_at))) return yield* new PasskeyTooLate()
      })
    )
  })

  return { begin, add }
})

interface NewPasskey extends Answer {
  readonly name: string
}

/** The passkeys of an account (docs/contract.md, "Passkeys"). */
export class Passkeys extends Context.Service<
  Passkeys,
  {
    /** False when browsers have no passkeys for the address of the service. */
    readonly isPossible: boolean
    readonly list: (owner: UserId) => Effect.Effect<ReadonlyArray<Passkey>>
    readonly get: (owner: UserId, id: PasskeyId) => Effect.Effect<Passkey, PasskeyNotFound>
    /** Asks the browser to make a passkey, after the password and the code. Stores no passkey: `add` does. */
    readonly begin: (
      session: Session,
      proof: Proof
    ) => Effect.Effect<Offer, Unproven | WrongOtp | SecondFactorNeedsEmail | TooManyPasskeys | PasskeysNotPossible>
    /** Adds the passkey that this session began, and ends the other sessions. */
    readonly add: (
      session: Session,
      passkey: NewPasskey
    ) => Effect.Effect<void, SecondFactorNeedsEmail | TooManyPasskeys | PasskeyTooLate | PasskeyNotMade | PasskeyKnown>
    readonly rename: (owner: UserId, id: PasskeyId, name: string) => Effect.Effect<void, PasskeyNotFound>
    /** Removes a passkey, and ends the other sessions. */
    readonly remove: (
      session: Session,
      id: PasskeyId,
      password: string | undefined
    ) => Effect.Effect<void, Unproven | PasskeyNotFound>
  }
>()("app/accounts/Passkeys") {
  static readonly layerNoDeps = Layer.effect(
    Passkeys,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const confirmation = yield* PasswordConfirmation
      const repo = yield* PasskeysRepo
      const sessions = yield* SessionsRepo
      const tell = yield* PasskeyMails.make
      const { isPossible } = yield* WebAuthn

      const get = Effect.fn("Passkeys.get")(function* (owner: UserId, id: PasskeyId) {
        const found = yield* repo.find(owner, id)
        return Option.isSome(found) ? found.value : yield* new PasskeyNotFound()
      })

      const rename = Effect.fn("Passkeys.rename")(function* (owner: UserId, id: PasskeyId, name: string) {
        if (!(yield* repo.rename(owner, id, name))) return yield* new PasskeyNotFound()
      })

      const take = Effect.fnUntraced(function* (account: Credentials, session_id: string, id: PasskeyId) {
        yield* confirmation.lock(account)
        const removed = yield* repo.remove(account.id, id)
        if (Option.isNone(removed)) return yield* new PasskeyNotFound()
        yield* sessions.removeOthers(account.id, session_id)
        yield* tell(account, "passkey_removed", removed.value.name)
      }, atomically)

      const remove = Effect.fn("Passkeys.remove")(function* (
        { session_id, user_id }: Session,
        id: PasskeyId,
        password: string | undefined
      ) {
        yield* take(yield* confirmation.compare({ user_id, password, field: "password" }), session_id, id)
      })

      const list = Effect.fn("Passkeys.list")(repo.list)

      return Passkeys.of({ isPossible, list, get, ...(yield* makeAdding), rename, remove })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      Addresses.layer,
      AuthLimits.layer,
      CredentialsRepo.layer,
      EmailOutbox.layer,
      PasskeyChallenges.layer,
      PasskeysRepo.layer,
      PasswordConfirmation.layer,
      SecondFactors.layer,
      Sessions.layer,
      SessionsRepo.layer,
      WebAuthn.layer
    ])
  )
}
