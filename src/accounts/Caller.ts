import { Context, Effect } from "effect"
import type { Scope } from "./Scope.ts"
import type { UserId } from "./User.ts"

/** The session of a signed-in person, with full access to the account. */
export interface SessionCredential {
  readonly _tag: "session"
  readonly session_id: string
}

/** The key of a program. `scopes` is null when unrestricted; `daily_spend_limit_usd` is in micro-dollars. */
export interface ApiKeyCredential {
  readonly _tag: "api_key"
  readonly api_key_id: string
  readonly scopes: ReadonlyArray<Scope> | null
  readonly daily_spend_limit_usd: bigint | null
}

/** The connection of an OAuth app, for the tool server only. `daily_spend_limit_usd` is in micro-dollars. */
export interface OAuthCredential {
  readonly _tag: "oauth"
  readonly client_id: string
  readonly connection_id: string
  readonly grant_id: string
  readonly scopes: ReadonlyArray<Scope>
  readonly daily_spend_limit_usd: bigint | null
}

/** The account and the credential of the current request. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly user_id: UserId
    /** True when the account's email is verified; absent when the credential was read without the account. */
    readonly email_verified?: boolean
    readonly credential: SessionCredential | ApiKeyCredential | OAuthCredential
  }
>()("app/accounts/Caller") {}

/** The session of the caller, for operations that accept no other credential. */
export const session = Effect.gen(function* () {
  const { credential, user_id } = yield* Caller
  if (credential._tag !== "session") return yield* Effect.die(new Error("SessionAuthentication let an API key in"))
  return { user_id, session_id: credential.session_id }
})

/**
 * Finds the scope that a caller lacks for an operation; undefined when it lacks none. Only sessions and unrestricted keys
 * have full access.
 */
export const missingScope = (
  { credential }: Pick<Caller["Service"], "credential">,
  required: Scope | "full-access"
): Scope | "full-access" | undefined => {
  const scopes = credential._tag === "session" ? null : credential.scopes
  if (scopes === null) return undefined
  return required !== "full-access" && scopes.includes(required) ? undefined : required
}
