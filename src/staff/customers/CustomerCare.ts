import { Context, DateTime, Effect, Layer, Schema, type Stream, Struct } from "effect"
import { AccountExport } from "../../account-export/AccountExport.ts"
import { type AccountHasPayout, type EmailVerified, UserNotFound } from "../../accounts/AccountErrors.ts"
import { CredentialChanges } from "../../accounts/CredentialChanges.ts"
import type { AccountRestricted } from "../../accounts/restrictions/RestrictionErrors.ts"
import { Sessions } from "../../accounts/sessions/Sessions.ts"
import { EmailVerification } from "../../accounts/sign-in/EmailVerification.ts"
import { UserId } from "../../accounts/User.ts"
import { Users } from "../../accounts/users/Users.ts"
import * as UuidV7 from "../../platform/UuidV7.ts"
import type { Actor, PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import type { Permission } from "../Permissions.ts"
import { StaffActions } from "../StaffActions.ts"
import type { ActionKeyReused, StepUpNeeded } from "../StaffErrors.ts"
import { CustomerHasNoEmail, CustomerNotFound } from "./CustomerErrors.ts"
import { CustomerNotesRepo } from "./CustomerNotesRepo.ts"
import { shown } from "./CustomerRecord.ts"

type By = Actor["Service"]
type Refused = PermissionNeeded | ActionKeyReused | CustomerNotFound

interface Outcome<A> {
  readonly answer: A
  readonly replayed: boolean
}

/** The record of something that staff did for a customer. */
export const CareDone = Schema.Struct({ customer_id: UserId, done_at: Schema.DateTimeUtcFromString }).annotate({
  identifier: "CareDone"
})
type CareDone = typeof CareDone.Type

/** The answer of a note as the record of its key holds it: for ever, so without the text, which goes with the account. */
const KeptNote = Schema.Struct(Struct.omit(shown.note.fields, ["text"]))

interface Care {
  readonly actor: By
  readonly id: UserId
  readonly permission: Permission
}

const attemptOf = ({ actor, id, permission }: Care) => ({
  actor,
  permission,
  subject: { kind: "customer", id },
  user_id: id
})

const done = (customer_id: UserId) => Effect.map(DateTime.now, (done_at): CareDone => ({ customer_id, done_at }))

const known = <A, E, R>(act: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    act,
    (error): error is Extract<E, UserNotFound> => error instanceof UserNotFound,
    () => new CustomerNotFound()
  )

/** Makes the actions that a key repeats safely. */
const makeHelp = Effect.gen(function* () {
  const actions = yield* StaffActions
  const audit = yield* Audit
  const changes = yield* CredentialChanges
  const guard = yield* Guard.make
  const notes = yield* CustomerNotesRepo
  const sessions = yield* Sessions
  const users = yield* Users
  const verification = yield* EmailVerification

  const note = Effect.fn("CustomerCare.note")((actor: By, key: string, id: UserId, text: string) => {
    const care = { actor, id, permission: "customer.note" as const }
    const act = Effect.gen(function* () {
      yield* users.get(id)
      const created_at = yield* DateTime.now
      const written = { id: UuidV7.make(), written_by: actor.name.slice(0, 200), created_at }
      yield* notes.insert(id, { ...written, text })
      yield* audit.record({ ...attemptOf(care), action: care.permission })
      return written
    })
    const keyed = { actor, key, operation: "createCustomerNote", content: { id, text }, answer: KeptNote }
    return Effect.map(guard.allow(attemptOf(care), actions.once(keyed, known(act))), ({ answer, replayed }) => ({
      answer: { ...answer, text },
      replayed
    }))
  })

  const resendVerification = Effect.fn("CustomerCare.resendVerification")((actor: By, key: string, id: UserId) => {
    const care = { actor, id, permission: "customer.help" as const }
    const act = Effect.gen(function* () {
      const { email } = yield* users.get(id)
      if (email === null) return yield* new CustomerHasNoEmail({ details: {} })
      yield* verification.resend(id)
      yield* audit.record({ ...attemptOf(care), action: care.permission, after: { action: "resend_verification" } })
      return yield* done(id)
    })
    const keyed = { actor, key, operation: "resendVerificationMail", content: { id }, answer: CareDone }
    return guard.allow(attemptOf(care), actions.once(keyed, known(act)))
  })

  const endSessions = Effect.fn("CustomerCare.endSessions")((actor: By, key: string, id: UserId, reason: string) => {
    const care = { actor, id, permission: "customer.help" as const }
    const act = Effect.gen(function* () {
      yield* users.get(id)
      yield* sessions.endAll(id)
      yield* audit.record({ ...attemptOf(care), action: care.permission, after: { action: "end_sessions" }, reason })
      return yield* done(id)
    })
    const keyed = { actor, key, operation: "endCustomerSessions", content: { id, reason }, answer: CareDone }
    return Effect.tap(guard.allow(attemptOf(care), actions.once(keyed, known(act))), changes.caughtUp)
  })

  return { note, resendVerification, endSessions }
})

/** Makes the actions that need a fresh confirmation. */
const makeRights = Effect.gen(function* () {
  const actions = yield* StaffActions
  const audit = yield* Audit
  const changes = yield* CredentialChanges
  const exports = yield* AccountExport
  const guard = yield* Guard.make
  const users = yield* Users

  const file = Effect.fn("CustomerCare.export")((actor: By, id: UserId, reason: string) => {
    const care = { actor, id, permission: "customer.export" as const }
    const act = Effect.gen(function* () {
      const written = yield* exports.write(id)
      yield* audit.record({ ...attemptOf(care), action: care.permission, reason })
      return written
    })
    return guard.allowFresh(attemptOf(care), known(act))
  })

  const erase = Effect.fn("CustomerCare.erase")((actor: By, key: string, id: UserId, reason: string) => {
    const care = { actor, id, permission: "customer.erase" as const }
    const act = Effect.gen(function* () {
      yield* users.erase(id)
      yield* audit.record({ ...attemptOf(care), action: care.permission, reason })
      return yield* done(id)
    })
    const keyed = { actor, key, operation: "eraseCustomer", content: { id, reason }, answer: CareDone }
    return Effect.tap(guard.allowFresh(attemptOf(care), actions.once(keyed, known(act))), changes.caughtUp)
  })

  return { export: file, erase }
})

/** Help for one customer by staff: who may, the key, and the audit log. The rules are those of the customer's own actions. */
export class CustomerCare extends Context.Service<
  CustomerCare,
  {
    /** Writes a note, which stays as it is. The audit log does not repeat its text. */
    readonly note: (
      actor: By,
      key: string,
      id: UserId,
      text: string
    ) => Effect.Effect<Outcome<typeof shown.note.Type>, Refused>
    /** Mails another link that verifies the email. */
    readonly resendVerification: (
      actor: By,
      key: string,
      id: UserId
    ) => Effect.Effect<Outcome<CareDone>, Refused | CustomerHasNoEmail | EmailVerified>
    /** Signs the customer out everywhere, and ends the connections of apps. */
    readonly endSessions: (
      actor: By,
      key: string,
      id: UserId,
      reason: string
    ) => Effect.Effect<Outcome<CareDone>, Refused>
    /** The file that the customer downloads too. It holds the logins of proxies. */
    readonly export: (
      actor: By,
      id: UserId,
      reason: string
    ) => Effect.Effect<Stream.Stream<string>, PermissionNeeded | CustomerNotFound | StepUpNeeded>
    /** Deletes the account as the customer would. */
    readonly erase: (
      actor: By,
      key: string,
      id: UserId,
      reason: string
    ) => Effect.Effect<Outcome<CareDone>, Refused | StepUpNeeded | AccountRestricted | AccountHasPayout>
  }
>()("app/staff/CustomerCare") {
  static readonly layerNoDeps = Layer.effect(
    CustomerCare,
    Effect.gen(function* () {
      return CustomerCare.of({ ...(yield* makeHelp), ...(yield* makeRights) })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Audit.layer, CustomerNotesRepo.layer, StaffActions.layer])
  )
}
