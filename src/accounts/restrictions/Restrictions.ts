import { Context, DateTime, Effect, Layer, Option } from "effect"
import { Brand } from "../../brand/Brand.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import { Addresses } from "../../platform/settings/Addresses.ts"
import { SignInBlocked, UserNotFound } from "../AccountErrors.ts"
import { type Credentials, CredentialsRepo } from "../CredentialsRepo.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import * as EmailTexts from "../mail/EmailTexts.ts"
import type { UserId } from "../User.ts"
import { blockedBy, type Restriction, type RestrictionId } from "./Restriction.ts"
import { AccountRestricted, AlreadyLifted, RestrictionIdReused, RestrictionNotFound } from "./RestrictionErrors.ts"
import { type After, RestrictionsRepo } from "./RestrictionsRepo.ts"

/** A restriction to place. `id` is the caller's idempotency key; `placed_by` names the person or the rule. */
export type NewRestriction = Omit<Restriction, "placed_at" | "lifted_at" | "lifted_by" | "lift_reason">

/** The lifting of a restriction. `by` names the person or the job. */
export interface Lifting {
  readonly by: string
  readonly reason: string
}

const isSame = (stored: Restriction, wanted: NewRestriction) =>
  stored.user_id === wanted.user_id &&
  stored.preset === wanted.preset &&
  stored.reason_code === wanted.reason_code &&
  stored.internal_reason === wanted.internal_reason &&
  stored.public_reason === wanted.public_reason &&
  stored.until_at?.epochMilliseconds === wanted.until_at?.epochMilliseconds &&
  stored.source === wanted.source &&
  stored.placed_by === wanted.placed_by

/** Mails the person. A hold needs no mail: the refusal of a purchase says it. */
const makeTell = Effect.gen(function* () {
  const addresses = yield* Addresses
  const brand = yield* Brand
  const outbox = yield* EmailOutbox

  return (
    { id: user_id, language }: Credentials,
    name: "account_restricted" | "account_free",
    { preset, public_reason }: Restriction
  ) =>
    preset === "hold"
      ? Effect.void
      : outbox.notify([
          { user_id, language, ...EmailTexts.restriction(brand, language, addresses, { name, public_reason }) }
        ])
})

const makePlace = Effect.gen(function* () {
  const atomically = yield* Atomically
  const credentials = yield* CredentialsRepo
  const repo = yield* RestrictionsRepo
  const tell = yield* makeTell

  const stored = Effect.fnUntraced(function* (wanted: NewRestriction) {
    const found = Option.getOrUndefined(yield* repo.find(wanted.id))
    if (found === undefined) return undefined
    return isSame(found, wanted) ? found : yield* new RestrictionIdReused({ details: {} })
  })

  return Effect.fn("Restrictions.place")(function* (wanted: NewRestriction) {
    const account = yield* credentials.lock(wanted.user_id)
    const earlier = yield* stored(wanted)
    if (earlier !== undefined) return earlier
    if (Option.isNone(account)) return yield* new UserNotFound()
    const placed_at = yield* DateTime.now
    if (wanted.until_at !== null && DateTime.isLessThanOrEqualTo(wanted.until_at, placed_at))
      return yield* RequestInvalid.at(["body", "until_at"], "Must be in the future")
    const restriction = { ...wanted, placed_at, lifted_at: null, lifted_by: null, lift_reason: null }
    // A request for another account may have taken the id.
    if (!(yield* repo.insert(restriction))) return yield* new RestrictionIdReused({ details: {} })
    yield* tell(account.value, "account_restricted", restriction)
    return restriction satisfies Restriction
  }, atomically)
})

const makeLift = Effect.gen(function* () {
  const atomically = yield* Atomically
  const credentials = yield* CredentialsRepo
  const repo = yield* RestrictionsRepo
  const tell = yield* makeTell

  /** The account is told when nothing but a hold is left. */
  const lifted = Effect.fnUntraced(function* (restriction: Restriction) {
    const account = yield* credentials.lock(restriction.user_id)
    const left = Option.getOrUndefined(yield* repo.open(restriction.user_id))
    const isFree = left === undefined || left.preset === "hold"
    if (Option.isSome(account) && isFree) yield* tell(account.value, "account_free", restriction)
    return restriction
  })

  return Effect.fn("Restrictions.lift")(function* (id: RestrictionId, { by, reason }: Lifting) {
    const open = yield* repo.lift(id, { lifted_at: yield* DateTime.now, lifted_by: by, lift_reason: reason })
    if (Option.isSome(open)) return yield* lifted(open.value)
    const earlier = Option.getOrUndefined(yield* repo.find(id))
    if (earlier === undefined) return yield* new RestrictionNotFound()
    if (earlier.lifted_by === by && earlier.lift_reason === reason) return earlier
    return yield* new AlreadyLifted({ details: {} })
  }, atomically)
})

/**
 * Restrictions of accounts. The database makes the flags of the account and its wallets follow, ends the credentials, and
 * suspends the proxies of the built-in gateway, in the transaction that places or lifts a restriction. Jobs do what needs
 * other services.
 */
export class Restrictions extends Context.Service<
  Restrictions,
  {
    /**
     * Places a restriction once, in the caller's transaction if there is one; the same content again returns the stored one.
     */
    readonly place: (
      wanted: NewRestriction
    ) => Effect.Effect<Restriction, UserNotFound | RestrictionIdReused | RequestInvalid>
    /**
     * Lifts a restriction once; the same lifting again returns the stored one. Returns only what no other open restriction
     * blocks.
     */
    readonly lift: (
      id: RestrictionId,
      lifting: Lifting
    ) => Effect.Effect<Restriction, RestrictionNotFound | AlreadyLifted>
    /** Newest first. */
    readonly list: (user_id: UserId, page: After) => Effect.Effect<ReadonlyArray<Restriction>>
    /** The open ones, then the others, the newest first. */
    readonly openFirst: (user_id: UserId, limit: number) => Effect.Effect<ReadonlyArray<Restriction>>
    /** The open restriction that the person should read about, if any. */
    readonly open: (user_id: UserId) => Effect.Effect<Option.Option<Restriction>>
    /** Fails while a restriction shuts the person out. Exact while the account is locked. */
    readonly mayEnter: (user_id: UserId) => Effect.Effect<void, SignInBlocked>
    /** Fails while any restriction stands: a person does not end it by deleting the account. Exact while the account is locked. */
    readonly mayDelete: (user_id: UserId) => Effect.Effect<void, AccountRestricted>
    /** Lifts the restrictions whose time is over; returns their number. */
    readonly liftDue: Effect.Effect<number>
  }
>()("app/accounts/Restrictions") {
  static readonly layerNoDeps = Layer.effect(
    Restrictions,
    Effect.gen(function* () {
      const repo = yield* RestrictionsRepo
      const place = yield* makePlace
      const lift = yield* makeLift

      const mayEnter = Effect.fnUntraced(function* (user_id: UserId) {
        const open = Option.getOrUndefined(yield* repo.open(user_id))
        if (open === undefined || !blockedBy[open.preset].blocks_access) return
        const { public_reason } = open
        return yield* new SignInBlocked({ details: { public_reason } })
      })

      const mayDelete = Effect.fnUntraced(function* (user_id: UserId) {
        const open = Option.getOrUndefined(yield* repo.open(user_id))
        if (open !== undefined) return yield* new AccountRestricted({ details: { public_reason: open.public_reason } })
      })

      const liftDue = Effect.gen(function* () {
        const due = yield* repo.due(yield* DateTime.now, 100)
        // Another instance, or a person, may lift it at the same time.
        yield* Effect.forEach(due, (id) => Effect.ignore(lift(id, { by: "service", reason: "Its time is over" })), {
          discard: true
        })
        return due.length
      })

      return Restrictions.of({
        place,
        lift,
        list: repo.list,
        openFirst: repo.openFirst,
        open: repo.open,
        mayEnter,
        mayDelete,
        liftDue
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([Addresses.layer, CredentialsRepo.layer, EmailOutbox.layer, RestrictionsRepo.layer])
  )
}
