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
import { type Person, StaffSignInRepo, type Waiting } from "./StaffSignInRepo.ts"

const waits = Duration.minutes(10)
const lasts = Duration.hours(12)

interface Given {
  readonly email: string
  readonly password: string
  readonly user_agent: string
}

/** The step that a sign-in waits for: a code, or the first code of an authenticator app, with the secret for the app. */
interface Step {
  readonly email: string
  readonly enrolment: { readonly secret: string; readonly otpauth_uri: string } | undefined
}

interface Begun {
  /** The secret of the session. */
  readonly secret: string
  /** The recovery codes of a second factor that was set up; shown once. */
  readonly recovery_codes: ReadonlyArray<string>
}

interface Proof {
  readonly password: string
  readonly code: string
}

type Request = HttpServerRequest.HttpServerRequest

type By = Actor["Service"]

/** Makes the function that describes a person who signs in to the audit log. */
const makeAttempt = Effect.map(ClientAddress, (client) =>
  Effect.fnUntraced(function* ({ id, name, role }: Person, action: "session.begin" | "session.enrol") {
    const about = { kind: "staff", id, staff_id: id, name, role, address: yield* client.current } as const
    const actor: By = { ...about, permissions: new Set(ofRole(role)), confirmed_at: null }
    return { actor, action, subject: { kind: "staff", id } }
  })
)

/** The first step: the password. */
const makeBegin = Effect.gen(function* () {
  const attemptOf = yield* makeAttempt
  const audit = yield* Audit
  const client = yield* ClientAddress
  const limits = yield* SignInLimits.make
  const passwords = yield* Passwords
  const repo = yield* StaffSignInRepo

  const check = Effect.fnUntraced(function* (email: string, password: string) {
    const person = Option.getOrUndefined(yield* repo.findByEmail(email))
    if ((yield* passwords.verify(password, person?.password_hash ?? null)) && person !== undefined) return person
    if (person !== undefined)
      yield* audit.refused({ ...(yield* attemptOf(person, "session.begin")), reason: "Wrong password" })
    return yield* new WrongStaffCredentials()
  })

  return Effect.fn("StaffSignIn.begin")(function* ({ email, password, user_agent }: Given) {
    const { id, totp_confirmed_at } = yield* limits.password(email)(check(email, password))
    const secret = yield* Secrets.make("pss_")
    const created_at = yield* DateTime.now
    yield* repo.insertSession({
      id: UuidV7.make(),
      staff_id: id,
      secret_hash: Secrets.digest(secret),
      created_at,
      ends_at: DateTime.addDuration(created_at, waits),
      address: yield* client.current,
      user_agent: user_agent.slice(0, 400),
      // Whoever sees the secret of another sign-in must not have the codes of the app that is set up.
      totp_secret: totp_confirmed_at === null ? Totp.makeSecret() : null
    })
    return secret
  })
})

/** Finds the step of a code of the app that no earlier code has used up; undefined when the code is wrong. */
const stepOf = (secret: string | null, { last_totp_step }: Person, code: string) =>
  Effect.map(Clock.currentTimeMillis, (millis) =>
    secret === null ? undefined : Totp.acceptedStep(secret, code, millis, last_totp_step)
  )

/** Proofs by a code of the app or a recovery code. Guesses are limited, and a wrong one is recorded. */
const makeProofs = Effect.gen(function* () {
  const attemptOf = yield* makeAttempt
  const audit = yield* Audit
  const limits = yield* SignInLimits.make
  const repo = yield* StaffSignInRepo

  /** Uses up a code. */
  const use = Effect.fnUntraced(function* (person: Person, code: string) {
    const given = Otp.parse(code)
    if (given === undefined) return false
    if (given.kind === "recovery") return yield* repo.useRecoveryCode(person.id, RecoveryCodes.hashOf(given.code))
    const step = yield* stepOf(person.totp_secret, person, given.code)
    return step !== undefined && (yield* repo.useStep(person.id, step))
  })

  /** Uses the first code of an app, and makes the recovery codes. */
  const enrol = Effect.fnUntraced(function* (person: Waiting, code: string) {
    const given = Otp.parse(code)
    const { id, offered_secret: totp_secret } = person
    const step = given?.kind === "app" ? yield* stepOf(totp_secret, person, given.code) : undefined
    if (step === undefined || totp_secret === null) return yield* new WrongStaffCode()
    const codes = RecoveryCodes.make()
    yield* repo.enrol({ id, step, totp_secret }, codes.map(RecoveryCodes.hashOf), yield* DateTime.now)
    return codes
  })

  const guess = <A, E>(person: Person, code: string, attempt: Effect.Effect<A, E | WrongStaffCode, Request>) =>
    Effect.tapError(attempt, (error) =>
      error instanceof WrongStaffCode
        ? Effect.flatMap(attemptOf(person, "session.begin"), (refused) =>
            audit.refused({ ...refused, reason: "Wrong code" })
          )
        : Effect.void
    ).pipe(limits.code(person.id, code))

  return { enrol, guess, use }
})

/** The second step: the code. */
const makeConfirm = Effect.gen(function* () {
  const atomically = yield* Atomically
  const attemptOf = yield* makeAttempt
  const audit = yield* Audit
  const brand = yield* Brand
  const limits = yield* SignInLimits.make
  const proofs = yield* makeProofs
  const repo = yield* StaffSignInRepo

  const lockWaiting = Effect.fnUntraced(function* (secret: string) {
    const found = yield* repo.lockWaiting(Secrets.digest(secret), yield* DateTime.now)
    return Option.isSome(found) ? found.value : yield* new SignInExpired()
  })

  const waiting = Effect.fn("StaffSignIn.waiting")(function* (secret: string) {
    const { email, offered_secret, totp_confirmed_at } = yield* lockWaiting(secret)
    if (totp_confirmed_at !== null || offered_secret === null) return { email, enrolment: undefined }
    const otpauth_uri = Totp.uriOf(offered_secret, email, `${brand.name} back office`)
    return { email, enrolment: { secret: offered_secret, otpauth_uri } }
  }, atomically)

  const prove = Effect.fnUntraced(function* (person: Waiting, code: string) {
    if (person.totp_confirmed_at === null) return yield* proofs.enrol(person, code)
    return (yield* proofs.use(person, code)) ? [] : yield* new WrongStaffCode()
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

  const confirm = Effect.fn("StaffSignIn.confirm")(function* (secret: string, code: string) {
    const person = yield* atomically(lockWaiting(secret))
    return yield* limits.session(Secrets.digest(secret))(proofs.guess(person, code, signIn(secret, code)))
  })

  return { waiting, confirm }
})

/** The actions of a signed-in person on their own session. */
const makeSession = Effect.gen(function* () {
  const atomically = yield* Atomically
  const audit = yield* Audit
  const limits = yield* SignInLimits.make
  const passwords = yield* Passwords
  const proofs = yield* makeProofs
  const repo = yield* StaffSignInRepo

  const proveAgain = Effect.fnUntraced(function* (id: Person["id"], secret: string, code: string) {
    const locked = yield* repo.lock(id)
    if (Option.isNone(locked) || !(yield* proofs.use(locked.value, code))) return yield* new WrongStaffCode()
    yield* repo.confirm(Secrets.digest(secret), yield* DateTime.now)
  }, atomically)

  const stepUp = Effect.fn("StaffSignIn.stepUp")(function* (secret: string, { staff_id }: By, given: Proof) {
    const person = staff_id === null ? Option.none<Person>() : yield* atomically(repo.lock(staff_id))
    if (Option.isNone(person)) return yield* new WrongStaffCredentials()
    const { id, password_hash } = person.value
    const verified = passwords.verify(given.password, password_hash)
    yield* Effect.filterOrFail(verified, Boolean, () => new WrongStaffCredentials()).pipe(
      Effect.andThen(proofs.guess(person.value, given.code, proveAgain(id, secret, given.code))),
      limits.session(Secrets.digest(secret))
    )
  })

  const end = Effect.fn("StaffSignIn.end")(function* (secret: string, actor: By) {
    yield* repo.end(Secrets.digest(secret))
    yield* audit.record({ actor, action: "session.end", subject: { kind: "staff", id: String(actor.staff_id) } })
  }, atomically)

  return { stepUp, end, clean: Effect.flatMap(DateTime.now, repo.removeEnded) }
})

/** Signs staff in: a password, then a code. A first sign-in sets the authenticator app up. */
export class StaffSignIn extends Context.Service<
  StaffSignIn,
  {
    /** Begins with the password; returns the secret of a session that waits 10 minutes for a code. */
    readonly begin: (given: Given) => Effect.Effect<string, WrongStaffCredentials | RateLimited, Request>
    readonly waiting: (secret: string) => Effect.Effect<Step, SignInExpired>
    /** Signs a waiting session in with a code. */
    readonly confirm: (
      secret: string,
      code: string
    ) => Effect.Effect<Begun, WrongStaffCode | SignInExpired | RateLimited, Request>
    /** Confirms a signed-in session with password and code, for actions of weight. */
    readonly stepUp: (
      secret: string,
      actor: Actor["Service"],
      given: Proof
    ) => Effect.Effect<void, WrongStaffCode | WrongStaffCredentials | RateLimited, Request>
    readonly end: (secret: string, actor: Actor["Service"]) => Effect.Effect<void>
    /** Deletes what has ended. */
    readonly clean: Effect.Effect<void>
  }
>()("app/staff/StaffSignIn") {
  static readonly layerNoDeps = Layer.effect(
    StaffSignIn,
    Effect.map(Effect.all([makeBegin, makeConfirm, makeSession]), ([begin, confirm, session]) =>
      StaffSignIn.of({ begin, ...confirm, ...session })
    )
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, ClientAddress.layer, Passwords.layer, StaffSignInRepo.layer])
  )
}
