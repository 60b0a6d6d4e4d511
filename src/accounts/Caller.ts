import { Context, Effect } from "effect"
import type { Scope } from "./Scope.ts"
import type { UserId } from "./User.ts"

/** A signed-in person: reaches everything of their account. */
export interface SessionCredential {
  readonly _tag: "session"
  readonly session_id: string
}

/** A program's key: `scopes` null is unrestricted; `daily_spend_limit_usd` is in micro-dollars. */
export interface ApiKeyCredential {
  readonly _tag: "api_key"
  readonly api_key_id: string
  readonly scopes: ReadonlyArray<Scope> | null
  readonly daily_spend_limit_usd: bigint | null
}

/** An app that a person has connected; for the tool server only. */
export interface OAuthCredential {
  readonly _tag: "oauth"
  readonly client_id: string
  readonly connection_id: string
  readonly scopes: ReadonlyArray<Scope>
}

/** Who is calling, and by what credential. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly user_id: UserId
    /** True when the account's email is verified; absent where the credential is read without the account. */
    readonly email_verified?: boolean
    readonly credential: SessionCredential | ApiKeyCredential | OAuthCredential
  }
>()("app/accounts/Caller") {}

/** The session of a caller, where operations are reachable by no other credential. */
export const session = Effect.gen(function* () {
  const { credential, user_id } = yield* Caller
  if (credential._tag !== "session") return yield* Effect.die(new Error("SessionAuthentication let an API key in"))
  return { user_id, session_id: credential.session_id }
})

/** What a caller lacks for an operation; undefined when that is nothing. Full access is a session's or an unrestricted key's. */
export const missingScope = (
  { credential }: Pick<Caller["Service"], "credential">,
  required: Scope | "full-access"
): Scope | "full-access" | undefined => {
  const scopes = credential._tag === "session" ? null : credential.scopes
  if (scopes === null) return undefined
  return required !== "full-access" && scopes.includes(required) ? undefined : required
}
