import { Context } from "effect"
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

/** Who is calling, and by what credential. */
export class Caller extends Context.Service<
  Caller,
  {
    readonly user_id: UserId
    readonly credential: SessionCredential | ApiKeyCredential
  }
>()("app/accounts/Caller") {}
