import type { Caller } from "../accounts/Caller.ts"

/** The API key that pays. Its daily limit is in micro-dollars; null means no limit. */
export interface PayingKey {
  readonly id: string
  readonly daily_spend_limit_usd: bigint | null
}

/** The API key that the caller pays with, or null for any other credential. */
export const payingKey = ({ credential }: Caller["Service"]): PayingKey | null =>
  credential._tag === "api_key"
    ? { id: credential.api_key_id, daily_spend_limit_usd: credential.daily_spend_limit_usd }
    : null
