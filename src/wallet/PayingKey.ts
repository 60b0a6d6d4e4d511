import type { Caller } from "../accounts/Caller.ts"
import type { Charge } from "./Wallets.ts"

/** The API key that a caller pays with, and its daily limit; null for any other credential. */
export const payingKey = ({ credential }: Caller["Service"]): Charge["api_key"] =>
  credential._tag === "api_key"
    ? { id: credential.api_key_id, daily_spend_limit_usd: credential.daily_spend_limit_usd }
    : null
