import { Context, DateTime, Effect, Layer, Option, type Stream } from "effect"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import type { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { AccountHasPayout, type EmailTaken, UserNotFound, WrongPassword } from "../AccountErrors.ts"
import { type Credentials, CredentialsRepo } from "../CredentialsRepo.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import * as EmailTexts from "../mail/EmailTexts.ts"
import { Brand } from "../../brand/Brand.ts"
import type { LanguageCode } from "../../brand/LanguageCode.ts"
import { EmailTokensRepo } from "../EmailTokensRepo.ts"
import * as ThrowAwayMail from "../ThrowAwayMail.ts"
import type { AccountRestricted } from "../restrictions/RestrictionErrors.ts"
import { Restrictions } from "../restrictions/Restrictions.ts"
import { PasswordConfirmation } from "../passwords/PasswordConfirmation.ts"
import type { User, UserId } from "../User.ts"
import { AccountRowsRepo } from "./AccountRowsRepo.ts"
import { UsersRepo } from "../UsersRepo.ts"

interface ProfileChange {
  readonly name?: string | null
  readonly email?: string
  /** Of the mails and notifications to the account. */
  readonly language?: LanguageCode
  /** Required to change a verified email. */
  readonly password?: string
}

const found = <A>(lookup: Effect.Effect<Option.Option<A>>) =>
  Effect.flatMap(lookup, (row) => (Option.isSome(row) ? Effect.succeed(row.value) : new UserNotFound()))

/** Reads, changes and deletes accounts. Does not find deleted accounts. */
export class Users extends Context.Service<
  Users,
  {
    readonly get: (user_id: UserId) => Effect.Effect<User, UserNotFound>
    readonly update: (
      user_id: UserId,
      change: ProfileChange
    ) => Effect.Effect<User, UserNotFound | EmailTaken | WrongPassword | RequestInvalid | RateLimited>
    readonly remove: (
      user_id: UserId,
      password: string | undefined
    ) => Effect.Effect<
      void,
      WrongPassword | RequestInvalid | UserNotFound | RateLimited | AccountRestricted | AccountHasPayout
    >
    /** Deletes an account for the operator, without its password. */
    readonly erase: (user_id: UserId) => Effect.Effect<void, UserNotFound | AccountRestricted | AccountHasPayout>
    /** `referral_earned_usd` and `referral_pending_usd` are in micro-dollars. */
    readonly referrals: (user_id: UserId) => Effect.Effect<
      {
        readonly referral_code: string
        readonly referred: number
        readonly referral_earned_usd: bigint
        readonly referral_pending_usd: bigint
      },
      UserNotFound
    >
    /** The rows of the account in each table of `accountTables`, for its export. Holds a few hundred rows at a time. */
    readonly rows: (user_id: UserId) => Readonly<Record<string, Stream.Stream<unknown>>>
  }
>()("app/accounts/Users") {
  static readonly layerNoDeps = Layer.effect(
    Users,
    Effect.gen(function* () {
      const accountRows = yield* AccountRowsRepo
      const atomically = yield* Atomically
      const brand = yield* Brand
      const confirmation = yield* PasswordConfirmation
      const credentials = yield* CredentialsRepo
      const outbox = yield* EmailOutbox
      const tokens = yield* EmailTokensRepo
      const repo = yield* UsersRepo
      const restrictions = yield* Restrictions
      const refuseThrowAway = yield* ThrowAwayMail.makeRefuse

      const get = Effect.fn("Users.get")((user_id: UserId) => found(repo.find(user_id)))

      /** Deletes the tokens mailed to the old address and mails a verification token to the new one. */
      const moveMail = Effect.fnUntraced(function* (account: Credentials, email: string, language: LanguageCode) {
        yield* tokens.removeAll(account.id, "email_verification", "password_reset", "sign_in_unlock")
        yield* outbox.add({ kind: "email_verification", to_address: email })
        if (account.email !== null)
          yield* outbox.add({
            kind: "notice",
            user_id: account.id,
            to_address: account.email,
            language,
            ...EmailTexts.emailChanged(brand, language, email)
          })
      })

      /** Changes the profile. `proof` is the password hash that matched; the hash may have changed in the meantime. */
      const apply = Effect.fnUntraced(function* (
        user_id: UserId,
        { email, language, name }: ProfileChange,
        proof: string | null
      ) {
        const account = yield* found(credentials.lock(user_id))
        const moved = email !== undefined && email !== account.email
        if (moved && account.email_verified && account.password_hash !== proof) return yield* new WrongPassword()
        const changes = {
          ...(name !== undefined && { name }),
          ...(language !== undefined && { language }),
          ...(moved && { email, email_verified: false })
        }
        yield* repo.updateProfile(user_id, changes, yield* DateTime.now)
        if (moved) yield* moveMail(account, email, language ?? account.language)
        return yield* get(user_id)
      }, atomically)

      /**
       * The change of a verified email needs the password. Otherwise a thief of a session could change the email, reset
       * the password by mail, and so take the account over.
       */
      const update = Effect.fn("Users.update")(function* (user_id: UserId, change: ProfileChange) {
        const { email, password } = change
        const account = yield* found(credentials.find(user_id))
        if (email !== undefined && email !== account.email) yield* refuseThrowAway(email)
        const guarded = email !== undefined && email !== account.email && account.email_verified
        const proven = guarded ? yield* confirmation.compare({ user_id, password, field: "password" }) : undefined
        return yield* apply(user_id, change, proven?.password_hash ?? null)
      })

      /** Erases an account that the caller's transaction has locked. */
      const eraseLocked = Effect.fnUntraced(function* (user_id: UserId) {
        yield* restrictions.mayDelete(user_id)
        if (yield* repo.hasOpenPayout(user_id)) return yield* new AccountHasPayout({ details: {} })
        yield* repo.erase(user_id, yield* DateTime.now)
      })

      const eraseOwn = Effect.fnUntraced(function* (account: Credentials) {
        yield* confirmation.lock(account)
        yield* eraseLocked(account.id)
      }, atomically)

      const remove = Effect.fn("Users.remove")(function* (user_id: UserId, password: string | undefined) {
        yield* eraseOwn(yield* confirmation.compare({ user_id, password, field: "password" }))
      })

      const erase = Effect.fn("Users.erase")(function* (user_id: UserId) {
        yield* found(credentials.lock(user_id))
        yield* eraseLocked(user_id)
      }, atomically)

      const referrals = Effect.fn("Users.referrals")((user_id: UserId) => found(repo.referrals(user_id)))

      return Users.of({ get, update, remove, erase, referrals, rows: accountRows.lists })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      AccountRowsRepo.layer,
      CredentialsRepo.layer,
      EmailOutbox.layer,
      EmailTokensRepo.layer,
      PasswordConfirmation.layer,
      Restrictions.layer,
      UsersRepo.layer
    ])
  )
}
