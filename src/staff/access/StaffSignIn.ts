import { Clock, Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { Passwords } from "../../accounts/passwords/Passwords.ts"
import * as Otp from "../../accounts/second-factor/Otp.ts"
import * as RecoveryCodes from "../../accounts/second-factor/RecoveryCodes.ts"
import * as Totp from "../../accounts/second-factor/Totp.ts"
import { Brand } from "../../brand/Brand.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { ClientAddress } from "../../platform/requests/ClientAddress.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import * as Secrets from "../../platform/Secrets.ts"
import * as UuidV7 from "../../platform/UuidV7.ts"
import type { Actor } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import { ofRole } from "../Permissions.ts"
import { SignInExpired, WrongStaffCode, WrongStaffCredentials } from "../StaffErrors.ts"
import * as SignInLimits from "./SignInLimits.ts"
import { type Person, StaffSignInRepo } from "./StaffSignInRepo.ts"

const waits = Duration.minutes(10)
const lasts = Duration.hours(12)

interface Given {
  readonly email: string
  readonly password: string
  readonly user_agent: string
}

/** What a sign-in waits for: a code, or the first code of an authenticator app, with the secret for the app. */
interface Waiting {
  readonly email: string
  readonly enrolment: { readonly secret: string; readonly otpauth_uri: string } | undefined
}

interface Begun {
  /** The secret of the session. */
  readonly secret: string
  /** The recovery codes of a second factor that was set up; shown once. */
  readonly recovery_codes: ReadonlyArray<string>
}

type Request = HttpServerRequest.HttpServerRequest

/** Signs staff in: a password, then a code. A first sign-in sets the authenticator app up. */
export class StaffSignIn extends Context.Service<
  StaffSignIn,
  {
    /** Begins with the password; returns the secret of a session that waits 10 minutes for a code. */
    readonly begin: (given: Given) => Effect.Effect<string, WrongStaffCredentials | RateLimited, Request>
    readonly waiting: (secret: string) => Effect.Effect<Waiting, SignInExpired>
    /** Signs a waiting session in with a code. */
    readonly confirm: (
      secret: string,
      code: string
    ) => Effect.Effect<Begun, WrongStaffCode | SignInExpired | RateLimited, Request>
    /** Confirms a signed-in session with password and code, for actions of weight. */
    readonly stepUp: (
      secret: string,
      actor: Actor["Service"],
      given: { readonly password: string; readonly code: string }
    ) => Effect.Effect<void, WrongStaffCode | WrongStaffCredentials | RateLimited, Request>
    readonly end: (secret: string, actor: Actor["Service"]) => Effect.Effect<void>
    /** Deletes what has ended. */
    readonly clean: Effect.Effect<void>
  }
>()("app/staff/StaffSignIn") {
  static readonly layerNoDeps = Layer.effect(
    StaffSignIn,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const audit = yield* Audit
      const brand = yield* Brand
      const client = yield* ClientAddress
      const limits = yield* SignInLimits.make
      const passwords = yield* Passwords
      const repo = yield* StaffSignInRepo

      const attemptOf = Effect.fnUntraced(function* (
        { id, name, role }: Person,
        action: "session.begin" | "session.enrol"
      ) {
        const about = { kind: "staff", id, staff_id: id, name, role, address: yield* client.current } as const
        const actor: Actor["Service"] = { ...about, permissions: new Set(ofRole(role)), confirmed_at: null }
        return { actor, action, subject: { kind: "staff", id } }
      })

      const begin = Effect.fn("StaffSignIn.begin")(function* ({ email, password, user_agent }: Given) {
        const person = Option.getOrUndefined(yield* repo.findByEmail(email))
        const checked = Effect.gen(function* () {
          if ((yield* passwords.verify(password, person?.password_hash ?? null)) && person !== undefined) return person
          if (person !== undefined)
            yield* audit.refused({ ...(yield* attemptOf(person, "session.begin")), reason: "Wrong password" })
          return yield* new WrongStaffCredentials()
        })
        const { id, totp_confirmed_at } = yield* limits.guess(email, checked)
        // Whoever saw an earlier secret must not have the codes of the app that is set up.
        if (totp_confirmed_at === null) yield* repo.setSecret(id, Totp.makeSecret())
        const secret = yield* Secrets.make("pss_")
        const created_at = yield* DateTime.now
        yield* repo.insertSession({
          id: UuidV7.make(),
          staff_id: id,
          secret_hash: Secrets.digest(secret),
          created_at,
          ends_at: DateTime.addDuration(created_at, waits),
          address: yield* client.current,
          user_agent: user_agent.slice(0, 400)
        })
        return secret
      })

      const lockWaiting = Effect.fnUntraced(function* (secret: string) {
        const person = yield* repo.lockWaiting(Secrets.digest(secret), yield* DateTime.now)
        return Option.isSome(person) ? person.value : yield* new SignInExpired()
      })

      const waiting = Effect.fn("StaffSignIn.waiting")(function* (secret: string) {
        const { email, totp_confirmed_at, totp_secret } = yield* lockWaiting(secret)
        if (totp_confirmed_at !== null || totp_secret === null) return { email, enrolment: undefined }
        const otpauth_uri = Totp.uriOf(totp_secret, email, `${brand.name} back office`)
        return { email, enrolment: { secret: totp_secret, otpauth_uri } }
      }, atomically)

      /** Uses up a code of the app or a recovery code. */
      const useCode = Effect.fnUntraced(function* ({ id, last_totp_step, totp_secret }: Person, code: string) {
        const given = Otp.parse(code)
        if (given?.kind === "recovery") return yield* repo.useRecoveryCode(id, RecoveryCodes.hashOf(given.code))
        if (given === undefined || totp_secret === null) return false
        const step = Totp.acceptedStep(totp_secret, given.code, yield* Clock.currentTimeMillis, last_totp_step)
        return step !== undefined && (yield* repo.useStep(id, step))
      })

      /** Uses the first code of an app, and makes the recovery codes. */
      const enrol = Effect.fnUntraced(function* ({ id, last_totp_step, totp_secret }: Person, code: string) {
        const given = Otp.parse(code)
        const millis = yield* Clock.currentTimeMillis
        const step =
          given?.kind === "app" && totp_secret !== null
            ? Totp.acceptedStep(totp_secret, given.code, millis, last_totp_step)
            : undefined
        if (step === undefined) return yield* new WrongStaffCode()
        const codes = RecoveryCodes.make()
        yield* repo.enrol(id, step, codes.map(RecoveryCodes.hashOf), yield* DateTime.now)
        return codes
      })

      const prove = Effect.fnUntraced(function* (person: Person, code: string) {
        if (person.totp_confirmed_at === null) return yield* enrol(person, code)
        return (yield* useCode(person, code)) ? [] : yield* new WrongStaffCode()
      })

      const signIn = Effect.fnUntraced(function* (waitingSecret: string, code: string) {
        const person = yield* lockWaiting(waitingSecret)
        const recovery_codes = yield* prove(person, code)
        const secret = yield* Secrets.make("pss_")
        const now = yield* DateTime.now
        const hashes = [Secrets.digest(waitingSecret), Secrets.digest(secret)] as const
        yield* repo.signIn(...hashes, now, DateTime.addDuration(now, lasts))
        if (recovery_codes.length > 0) yield* audit.record(yield* attemptOf(person, "session.enrol"))
        yield* audit.record(yield* attemptOf(person, "session.begin"))
        return { secret, recovery_codes }
      }, atomically)

      /** Limits guesses of a code, and records a wrong one. */
      const guessing = Effect.fnUntraced(function* <A, E>(
        person: Person,
        attempt: Effect.Effect<A, E | WrongStaffCode, Request>
      ) {
        const recorded = Effect.tapError(attempt, (error) =>
          error instanceof WrongStaffCode
            ? Effect.flatMap(attemptOf(person, "session.begin"), (refused) =>
                audit.refused({ ...refused, reason: "Wrong code" })
              )
            : Effect.void
        )
        return yield* limits.guess(person.email, recorded)
      })

      const confirm = Effect.fn("StaffSignIn.confirm")(function* (secret: string, code: string) {
        return yield* guessing(yield* atomically(lockWaiting(secret)), signIn(secret, code))
      })

      const stepUp = Effect.fn("StaffSignIn.stepUp")(function* (
        secret: string,
        { staff_id }: Actor["Service"],
        { code, password }: { readonly password: string; readonly code: string }
      ) {
        const person = staff_id === null ? Option.none() : yield* atomically(repo.lock(staff_id))
        if (Option.isNone(person)) return yield* new WrongStaffCredentials()
        const { email, id, password_hash } = person.value
        const checked = Effect.filterOrFail(
          passwords.verify(password, password_hash),
          Boolean,
          () => new WrongStaffCredentials()
        )
        yield* limits.guess(email, checked)
        const proven = Effect.gen(function* () {
          const locked = yield* repo.lock(id)
          if (Option.isNone(locked) || !(yield* useCode(locked.value, code))) return yield* new WrongStaffCode()
          yield* repo.confirm(Secrets.digest(secret), yield* DateTime.now)
        })
        yield* guessing(person.value, atomically(proven))
      })

      const end = Effect.fn("StaffSignIn.end")(function* (secret: string, actor: Actor["Service"]) {
        yield* repo.end(Secrets.digest(secret))
        yield* audit.record({ actor, action: "session.end", subject: { kind: "staff", id: String(actor.staff_id) } })
      }, atomically)

      return StaffSignIn.of({
        begin,
        waiting,
        confirm,
        stepUp,
        end,
        clean: Effect.flatMap(DateTime.now, repo.removeEnded)
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, ClientAddress.layer, Passwords.layer, StaffSignInRepo.layer])
  )
}
