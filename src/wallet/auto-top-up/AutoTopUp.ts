import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import * as Money from "../../platform/Money.ts"
import { SavedCardId } from "../SavedCard.ts"

/** The reason for which the service switched automatic top-up off. */
export const StoppedBy = Schema.Literals([
  "authentication_required",
  "card_expired",
  "card_refused",
  "declined",
  "reversed"
])
export type StoppedBy = typeof StoppedBy.Type

/** The automatic top-up of an account, in micro-dollars. */
export const AutoTopUp = Schema.Struct({
  user_id: UserId,
  is_on: Schema.Boolean,
  threshold: Schema.BigInt,
  amount: Schema.BigInt,
  monthly_limit: Schema.BigInt,
  card_id: Schema.NullOr(SavedCardId),
  stopped_by: Schema.NullOr(StoppedBy),
  /** Payments in a row that the bank of the card declined. */
  declines: Schema.Int,
  /** After a decline, the time of the next payment. */
  not_before: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** The payments of this month (UTC) that are in flight or made. */
  used: Schema.BigInt,
  updated_at: Schema.DateTimeUtcFromDate
})
export type AutoTopUp = typeof AutoTopUp.Type

/** The settings that the owner chooses. */
export type AutoTopUpChoice = Pick<AutoTopUp, "is_on" | "threshold" | "amount" | "monthly_limit"> & {
  readonly card_id: SavedCardId
}

/** The shortest pause between a decline and the next payment, whatever the owner changes. */
export const shortestPause = { minutes: 1 }

const dollar = 1_000_000n

/** The bounds of the settings, in micro-dollars. */
export const limits = {
  threshold: { minimum: dollar, maximum: 1_000n * dollar },
  amount: { minimum: 5n * dollar, maximum: 1_000n * dollar },
  monthly_limit: { minimum: 5n * dollar, maximum: 10_000n * dollar }
} as const

export type Sum = keyof typeof limits

const cent = 10_000n

/** Reads a sum, which is a JSON number or a decimal string; undefined when it is out of bounds. */
const parseSum = (name: Sum, sum: number | string): bigint | undefined => {
  const parsed = Money.fromDecimal("USD", String(sum))
  const { maximum, minimum } = limits[name]
  return parsed !== undefined && parsed >= minimum && parsed <= maximum && parsed % cent === 0n ? parsed : undefined
}

const ruleOf = (name: Sum) => {
  const [least, most] = [limits[name].minimum / dollar, limits[name].maximum / dollar]
  return `Expected ${least} to ${most} USD with at most two decimals`
}

type Sums = Readonly<Record<Sum, number | string>>

/** The sums that do not fit together: a payment lifts every balance to the threshold, and fits into the month. */
export const misfits = (sums: Sums): ReadonlyArray<"amount" | "monthly_limit"> => {
  const threshold = parseSum("threshold", sums.threshold)
  const amount = parseSum("amount", sums.amount)
  const monthly = parseSum("monthly_limit", sums.monthly_limit)
  return [
    ...(threshold !== undefined && amount !== undefined && amount < threshold ? ["amount" as const] : []),
    ...(amount !== undefined && monthly !== undefined && monthly < amount ? ["monthly_limit" as const] : [])
  ]
}

/** The choice of an owner; undefined when a sum is out of bounds. */
export const choiceOf = (wanted: Sums & Pick<AutoTopUpChoice, "is_on" | "card_id">): AutoTopUpChoice | undefined => {
  const { card_id, is_on } = wanted
  const threshold = parseSum("threshold", wanted.threshold)
  const amount = parseSum("amount", wanted.amount)
  const monthly_limit = parseSum("monthly_limit", wanted.monthly_limit)
  if (threshold === undefined || amount === undefined || monthly_limit === undefined) return undefined
  return { is_on, card_id, threshold, amount, monthly_limit }
}

const misfit = {
  amount: "Expected at least the threshold, so that one payment is enough",
  monthly_limit: "Expected at least the amount of one payment"
} as const

/** The faults of the sums, by field. */
export const faults = (sums: Sums) => [
  ...(["threshold", "amount", "monthly_limit"] as const)
    .filter((name) => parseSum(name, sums[name]) === undefined)
    .map((name) => ({ path: [name], issue: ruleOf(name) })),
  ...misfits(sums).map((name) => ({ path: [name], issue: misfit[name] }))
]
