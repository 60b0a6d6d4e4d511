import { Array, Clock, Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { Brand } from "../../brand/Brand.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import {
  SecondFactorNeedsEmail,
  SecondFactorNotStarted,
  SecondFactorOff,
  SecondFactorOn,
  UserNotFound,
  type WrongPassword,
  WrongOtp
} from "../AccountErrors.ts"
import { AuthLimits } from "../AuthLimits.ts"
import { type Credentials, CredentialsRepo } from "../CredentialsRepo.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import * as EmailTexts from "../mail/EmailTexts.ts"
import { PasswordConfirmation } from "../passwords/PasswordConfirmation.ts"
import { SecondFactorsRepo } from "../SecondFactorsRepo.ts"
import { SessionsRepo } from "../SessionsRepo.ts"
import type { UserId } from "../User.ts"
import * as Otp from "./Otp.ts"
import * as RecoveryCodes from "./RecoveryCodes.ts"
import { SecondFactors } from "./SecondFactors.ts"
import * as Totp from "./Totp.ts"

const setupLasts = Duration.minutes(15)

/** The session of the request, and its account. */
interface Session {
  readonly user_id: UserId
  readonly session_id: string
}

/** A secret that waits for its first code. */
export interface SecondFactorSetup {
  /** In base32 (RFC 4648), without padding. */
  readonly secret: string
  readonly otpauth_uri: string
  readonly expires_at: DateTime.Utc
}

interface Proof {
  readonly password: string | undefined
  readonly otp: string
}

type Unproven = WrongPassword | RequestInvalid | UserNotFound | RateLimited

/** Begins a setup, and turns the second factor on with its first code. */
const makeSetups = Effect.gen(function* () {
  const addresses = yield* Addresses
  const atomically = yield* Atomically
  const brand = yield* Brand
  const confirmation = yield* PasswordConfirmation
  const credentials = yield* CredentialsRepo
  const limits = yield* AuthLimits
  const outbox = yield* EmailOutbox
  const repo = yield* SecondFactorsRepo
  const sessions = yield* SessionsRepo

  const setupOf = ({ email, id }: Credentials, secret: string, expires_at: DateTime.Utc): SecondFactorSetup => ({
    secret,
    otpauth_uri: Totp.uriOf(secret, email ?? id, brand.name),
    expires_at
  })

  /** Refuses an account that has a second factor, or whose email is unverified: a reset of its password takes it over. */
  const mayTurnOn = Effect.fnUntraced(function* ({ email_verified, id }: Credentials) {
    if (!email_verified) return yield* new SecondFactorNeedsEmail({ details: {} })
    if (Option.isSome(yield* repo.find(id))) return yield* new SecondFactorOn({ details: {} })
  })

  const putSetup = Effect.fnUntraced(function* (account: Credentials, session_id: string) {
    yield* confirmation.lock(account)
    yield* mayTurnOn(account)
    const secret = Totp.makeSecret()
    const created_at = yield* DateTime.now
    const expires_at = DateTime.addDuration(created_at, setupLasts)
    yield* repo.putSetup({ user_id: account.id, session_id, secret, created_at, expires_at })
    return setupOf(account, secret, expires_at)
  }, atomically)

  const begin = Effect.fn("SecondFactorChanges.begin")(function* (session: Session, password: string | undefined) {
    const { session_id, user_id } = session
    return yield* putSetup(yield* confirmation.compare({ user_id, password, field: "password" }), session_id)
  })

  const setup = Effect.fn("SecondFactorChanges.setup")(function* ({ session_id, user_id }: Session) {
    const account = yield* credentials.find(user_id)
    const waiting = yield* repo.findSetup(user_id, session_id, yield* DateTime.now)
    return Option.zipWith(account, waiting, (account, { expires_at, secret }) => setupOf(account, secret, expires_at))
  })

  const firstStep = Effect.fnUntraced(function* (secret: string, otp: string) {
    const given = Otp.parse(otp)
    const step =
      given?.kind === "app" ? Totp.acceptedStep(secret, given.code, yield* Clock.currentTimeMillis) : undefined
    return step ?? (yield* new WrongOtp({ details: {} }))
  })

  const confirm = Effect.fn("SecondFactorChanges.confirm")(function* ({ session_id, user_id }: Session, otp: string) {
    const locked = yield* credentials.lock(user_id)
    if (Option.isNone(locked)) return yield* new UserNotFound()
    yield* mayTurnOn(locked.value)
    const now = yield* DateTime.now
    const waiting = yield* repo.findSetup(user_id, session_id, now)
    if (Option.isNone(waiting)) return yield* new SecondFactorNotStarted({ details: {} })
    const { secret } = waiting.value
    const last_step = yield* limits.otp(user_id, firstStep(secret, otp))
    const codes = RecoveryCodes.make()
    yield* repo.insert({ user_id, secret, last_step, enabled_at: now })
    yield* repo.putRecoveryCodes(user_id, Array.map(codes, RecoveryCodes.hashOf))
    yield* repo.removeSetup(user_id)
    yield* sessions.removeOthers(user_id, session_id)
    const { email, language } = locked.value
    if (email !== null)
      yield* outbox.add({
        kind: "notice",
        to_address: email,
        language,
        ...EmailTexts.secondFactorOn(brand, language, addresses)
      })
    return codes
  }, atomically)

  return { begin, setup, confirm }
})

/**
 * Changes the second factor of an account for its owner. Each change signs out all other sessions: somebody who has one of
 * them may not have passed the second factor.
 */
export class SecondFactorChanges extends Context.Service<
  SecondFactorChanges,
  {
    /** Makes a secret for this session and replaces an earlier one. Turns nothing on: `confirm` does. */
    readonly begin: (
      session: Session,
      password: string | undefined
    ) => Effect.Effect<SecondFactorSetup, Unproven | SecondFactorOn | SecondFactorNeedsEmail>
    /** Finds the secret that this session began and did not confirm, while it has not expired. */
    readonly setup: (session: Session) => Effect.Effect<Option.Option<SecondFactorSetup>>
    /** Turns the second factor on with the first code of its secret. Returns the recovery codes; only their hashes are kept. */
    readonly confirm: (
      session: Session,
      otp: string
    ) => Effect.Effect<
      ReadonlyArray<string>,
      WrongOtp | SecondFactorOn | SecondFactorNeedsEmail | SecondFactorNotStarted | UserNotFound | RateLimited
    >
    /** Turns the second factor off. */
    readonly end: (session: Session, proof: Proof) => Effect.Effect<void, Unproven | WrongOtp | SecondFactorOff>
    /** Replaces the recovery codes and returns the new ones. */
    readonly renewCodes: (
      session: Session,
      proof: Proof
    ) => Effect.Effect<ReadonlyArray<string>, Unproven | WrongOtp | SecondFactorOff>
  }
>()("app/accounts/SecondFactorChanges") {
  static readonly layerNoDeps = Layer.effect(
    SecondFactorChanges,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const confirmation = yield* PasswordConfirmation
      const factors = yield* SecondFactors
      const limits = yield* AuthLimits
      const repo = yield* SecondFactorsRepo
      const sessions = yield* SessionsRepo

      /** Runs a change after the password and a code have proved the owner. */
      const proven = <A>(change: (session: Session) => Effect.Effect<A>) => {
        const apply = Effect.fnUntraced(function* (account: Credentials, otp: string, session: Session) {
          yield* confirmation.lock(account)
          if (!(yield* factors.isOn(account.id))) return yield* new SecondFactorOff({ details: {} })
          const used = Effect.filterOrFail(factors.use(account.id, otp), Boolean, () => new WrongOtp({ details: {} }))
          yield* limits.otp(account.id, used)
          return yield* change(session)
        }, atomically)

        return Effect.fnUntraced(function* (session: Session, { otp, password }: Proof) {
          const { user_id } = session
          return yield* apply(yield* confirmation.compare({ user_id, password, field: "password" }), otp, session)
        })
      }

      const renew = Effect.fnUntraced(function* ({ session_id, user_id }: Session) {
        const codes = RecoveryCodes.make()
        yield* repo.putRecoveryCodes(user_id, Array.map(codes, RecoveryCodes.hashOf))
        yield* sessions.removeOthers(user_id, session_id)
        return codes
      })

      return SecondFactorChanges.of({
        ...(yield* makeSetups),
        end: proven(({ session_id, user_id }) => Effect.asVoid(factors.remove(user_id, session_id))),
        renewCodes: proven(renew)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      Addresses.layer,
      AuthLimits.layer,
      CredentialsRepo.layer,
      EmailOutbox.layer,
      PasswordConfirmation.layer,
      SecondFactors.layer,
      SecondFactorsRepo.layer,
      SessionsRepo.layer
    ])
  )
}
