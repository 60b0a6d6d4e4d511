import { DateTime } from "effect"

/** A shorter outage is not credited. */
const shortestSeconds = 15n * 60n

/**
 * An outage, and the payment for the time in which it began. `returned` was returned or credited of it before. A time that ended
 * early, at `ended_at`, was bought whole: else a customer who releases a new proxy would get most of its price for a short outage.
 */
export interface CreditFacts {
  readonly from_at: DateTime.Utc
  readonly to_at: DateTime.Utc
  readonly starts_at: DateTime.Utc
  readonly ends_at: DateTime.Utc
  readonly ended_at: DateTime.Utc | null
  readonly paid: bigint
  readonly returned: bigint
}

export interface WarrantyCredit {
  readonly down_seconds: bigint
  readonly period_seconds: bigint
  readonly amount: bigint
}

const seconds = (from: DateTime.Utc, to: DateTime.Utc) =>
  BigInt(Math.floor((to.epochMilliseconds - from.epochMilliseconds) / 1_000))
const least = (one: bigint, other: bigint) => (other < one ? other : one)

/**
 * The share of a payment for the whole seconds that an outage took from the time that it bought, rounded down, at most what is
 * left of the payment. Undefined: there is no credit.
 */
export const warrantyCredit = (facts: CreditFacts): WarrantyCredit | undefined => {
  const { ended_at, ends_at, from_at, paid, returned, starts_at, to_at } = facts
  if (seconds(from_at, to_at) < shortestSeconds) return undefined
  const period_seconds = seconds(starts_at, ends_at)
  const down_seconds = seconds(DateTime.max(from_at, starts_at), DateTime.min(to_at, ended_at ?? ends_at))
  if (period_seconds <= 0n || down_seconds <= 0n) return undefined
  const amount = least((paid * down_seconds) / period_seconds, paid - returned)
  return amount > 0n ? { down_seconds, period_seconds, amount } : undefined
}
