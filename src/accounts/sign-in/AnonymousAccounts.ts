import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { LanguageCode } from "../../brand/LanguageCode.ts"
import { Atomically } from "../../platform/postgres/Atomically.ts"
import type { RateLimited } from "../../platform/requests/RateLimit.ts"
import type { EmailTaken } from "../AccountErrors.ts"
import { AnonymousAccountsRepo } from "./AnonymousAccountsRepo.ts"
import type { ApiKey, ApiKeyId } from "../ApiKey.ts"
import { ApiKeys } from "../api-keys/ApiKeys.ts"
import { EmailOutbox } from "../mail/EmailOutbox.ts"
import { NewAccounts } from "./NewAccounts.ts"
import { Passwords } from "../passwords/Passwords.ts"
import { reading, type Scope } from "../Scope.ts"
import type { User, UserId } from "../User.ts"
import { UsersRepo } from "../UsersRepo.ts"

/** The scopes of an unclaimed account's key. */
const unclaimedScopes: ReadonlyArray<Scope> = ["catalog:read"]

interface Claim {
  readonly user_id: UserId
  /** The key that gets all reading scopes; null when the key was revoked. */
  readonly api_key_id: ApiKeyId | null
  readonly email: string
  readonly password_hash: string
  readonly name?: string
  readonly language: LanguageCode
}

/** Accounts of agents that registered themselves and have no owner yet (docs/contract.md, "Agents"). */
export class AnonymousAccounts extends Context.Service<
  AnonymousAccounts,
  {
    /** Creates an account without email and password, and its API key. The service stores only the key's hash. */
    readonly create: Effect.Effect<{ readonly user: User; readonly apiKey: ApiKey; readonly key: string }>
    /** Hashes the password for `claim`. This takes tens of milliseconds, so call it before the transaction. */
    readonly hash: (password: string) => Effect.Effect<string, RateLimited>
    /**
     * Makes a person the owner, in the caller's transaction, which can continue when this fails. Queues a verification
     * mail and gives the key all reading scopes. Locks the account first. Returns none when the account has an owner or
     * is deleted.
     */
    readonly claim: (claim: Claim) => Effect.Effect<Option.Option<User>, EmailTaken>
    /**
     * Erases at most `limit` unclaimed accounts that were created before `before` and have no order and no money.
     * Returns their ids.
     */
    readonly removeAbandoned: (before: DateTime.Utc, limit: number) => Effect.Effect<ReadonlyArray<UserId>>
  }
>()("app/accounts/AnonymousAccounts") {
  static readonly layerNoDeps = Layer.effect(
    AnonymousAccounts,
    Effect.gen(function* () {
      const accounts = yield* NewAccounts
      const apiKeys = yield* ApiKeys
      const atomically = yield* Atomically
      const outbox = yield* EmailOutbox
      const passwords = yield* Passwords
      const repo = yield* AnonymousAccountsRepo
      const users = yield* UsersRepo

      const create = Effect.gen(function* () {
        const user = yield* accounts.create({
          email: null,
          name: null,
          language: "en",
          password_hash: null,
          referred_by: null,
          signup_address: null
        })
        return { user, ...(yield* apiKeys.create(user.id, { name: "Agent", scopes: unclaimedScopes })) }
      }).pipe(Effect.orDie, atomically, Effect.withSpan("AnonymousAccounts.create"))

      const claim = Effect.fn("AnonymousAccounts.claim")(function* (claim: Claim) {
        const { api_key_id, email, language, name = null, password_hash, user_id } = claim
        const claimed = yield* repo.claim(user_id, { email, name, language, password_hash }, yield* DateTime.now)
        if (Option.isNone(claimed)) return claimed
        if (api_key_id !== null) yield* repo.setScopes(user_id, api_key_id, reading)
        yield* outbox.add({ kind: "email_verification", to_address: email })
        return claimed
      }, atomically)

      const removeAbandoned = Effect.fn("AnonymousAccounts.removeAbandoned")(function* (
        before: DateTime.Utc,
        limit: number
      ) {
        const abandoned = yield* repo.lockAbandoned(before, limit)
        const now = yield* DateTime.now
        yield* Effect.forEach(abandoned, (id) => users.erase(id, now), { discard: true })
        return abandoned
      }, atomically)

      return AnonymousAccounts.of({ create, hash: passwords.hash, claim, removeAbandoned })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([
      AnonymousAccountsRepo.layer,
      ApiKeys.layer,
      EmailOutbox.layer,
      NewAccounts.layer,
      Passwords.layer,
      UsersRepo.layer
    ])
  )
}
