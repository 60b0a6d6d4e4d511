import { Config, Context, DateTime, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { AnonymousAccounts } from "../accounts/sign-in/AnonymousAccounts.ts"
import type { EmailTaken } from "../accounts/AccountErrors.ts"
import { ApiKeys } from "../accounts/api-keys/ApiKeys.ts"
import { CredentialChanges } from "../accounts/CredentialChanges.ts"
import { reading, type Scope } from "../accounts/Scope.ts"
import type { User } from "../accounts/User.ts"
import type { LanguageCode } from "../brand/LanguageCode.ts"
import { Atomically } from "../platform/postgres/Atomically.ts"
import type { RateLimited } from "../platform/requests/RateLimit.ts"
import * as Secrets from "../platform/Secrets.ts"
import { ClaimTokenInvalid } from "./AgentErrors.ts"
import { type AgentRegistrationRow, AgentRegistrationsRepo } from "./AgentRegistrationsRepo.ts"

/** `AGENT_REGISTRATION`: true when agents may register themselves. */
export const enabled = Config.Boolean("AGENT_REGISTRATION").pipe(Config.withDefault(true))

/** A person can claim a registration within this time. */
export const claimable = { days: 30 }

/** The answer to a registration. The service stores only hashes of the credential and of the claim token. */
interface Registered {
  readonly registration_id: string
  readonly credential: string
  readonly scopes: ReadonlyArray<Scope>
  readonly claim_token: string
  readonly claim_token_expires: DateTime.Utc
}

/** The new owner, and the token that proves the right to claim. */
interface Claim {
  readonly claim_token: string
  readonly email: string
  readonly password: string
  readonly name?: string
  readonly language: LanguageCode
}

interface Claimed {
  readonly registration_id: string
  readonly user: User
  /** The scopes of the agent's key after the claim; empty when the key was revoked. */
  readonly scopes: ReadonlyArray<Scope>
}

/** Registers agents and lets people claim their accounts (docs/contract.md, "Agents"). */
export class AgentRegistration extends Context.Service<
  AgentRegistration,
  {
    /** Creates an account and an API key for an agent. */
    readonly register: Effect.Effect<Registered>
    /** Makes a person the owner of an agent's account. Works once, within 30 days. */
    readonly claim: (claim: Claim) => Effect.Effect<Claimed, ClaimTokenInvalid | EmailTaken | RateLimited>
    /** Deletes an agent's key. Ignores any other credential without revealing that. */
    readonly revoke: (credential: string) => Effect.Effect<void>
  }
>()("app/agents/AgentRegistration") {
  static readonly layerNoDeps = Layer.effect(
    AgentRegistration,
    Effect.gen(function* () {
      const accounts = yield* AnonymousAccounts
      const apiKeys = yield* ApiKeys
      const atomically = yield* Atomically
      const changes = yield* CredentialChanges
      const repo = yield* AgentRegistrationsRepo

      const register = Effect.gen(function* () {
        const { apiKey, key, user } = yield* accounts.create
        const claim_token = yield* Secrets.make("clm_")
        const created_at = yield* DateTime.now
        const row = {
          id: `reg_${SecureRandom.uuidV7Unsafe().replaceAll("-", "")}`,
          user_id: user.id,
          api_key_id: apiKey.id,
          claim_token_hash: Secrets.digest(claim_token),
          claim_token_expires_at: DateTime.add(created_at, claimable),
          claimed_at: null,
          created_at
        }
        yield* repo.insert(row)
        return {
          registration_id: row.id,
          credential: key,
          scopes: apiKey.scopes ?? [],
          claim_token,
          claim_token_expires: row.claim_token_expires_at
        }
      }).pipe(atomically, Effect.withSpan("AgentRegistration.register"))

      const makeOwner = Effect.fnUntraced(function* (
        { api_key_id, id, user_id }: AgentRegistrationRow,
        { email, language, name }: Claim,
        password_hash: string
      ) {
        // The lock of the account decides between concurrent claims.
        const claimed = yield* accounts.claim({
          user_id,
          api_key_id,
          email,
          language,
          password_hash,
          ...(name === undefined ? {} : { name })
        })
        if (Option.isNone(claimed)) return yield* new ClaimTokenInvalid()
        const user = claimed.value
        yield* repo.markClaimed(id, yield* DateTime.now)
        return { registration_id: id, user, scopes: api_key_id === null ? [] : reading }
      }, atomically)

      const claim = Effect.fn("AgentRegistration.claim")(function* (input: Claim) {
        const found = yield* repo.findClaimable(Secrets.digest(input.claim_token), yield* DateTime.now)
        if (Option.isNone(found)) return yield* new ClaimTokenInvalid()
        const claimed = yield* makeOwner(found.value, input, yield* accounts.hash(input.password))
        yield* changes.caughtUp
        return claimed
      })

      const revoke = Effect.fn("AgentRegistration.revoke")(function* (credential: string) {
        const apiKey = yield* apiKeys.find(credential)
        if (Option.isNone(apiKey)) return
        const { id, user_id } = apiKey.value
        if (Option.isNone(yield* repo.findByKey(id))) return
        yield* Effect.ignore(apiKeys.revoke(user_id, id))
        yield* changes.caughtUp
      })

      return AgentRegistration.of({ register, claim, revoke })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(
    Layer.provide([AnonymousAccounts.layer, ApiKeys.layer, AgentRegistrationsRepo.layer, CredentialChanges.layer])
  )
}
