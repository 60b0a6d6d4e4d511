import type { Caller } from "../accounts/Caller.ts"

/**
 * The credential that pays: an API key, or the grant of a connected app. Its daily limit is in micro-dollars; null means no
 * limit.
 */
export interface Spender {
  readonly kind: "api_key" | "grant"
  readonly id: string
  readonly daily_spend_limit_usd: bigint | null
}

/** The key or the app that the caller pays with, or null for a session. */
export const spenderOf = ({ credential }: Caller["Service"]): Spender | null => {
  if (credential._tag === "session") return null
  const { daily_spend_limit_usd } = credential
  return credential._tag === "api_key"
    ? { kind: "api_key", id: credential.api_key_id, daily_spend_limit_usd }
    : { kind: "grant", id: credential.grant_id, daily_spend_limit_usd }
}
