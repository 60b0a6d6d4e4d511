import { Schema } from "effect"

/** Amounts are exact integers: `USD` counts micro-dollars, `STAR` counts whole stars. */
export const Currency = Schema.Literals(["USD", "STAR"])
export type Currency = typeof Currency.Type

const decimals = { USD: 6, STAR: 0 } as const
const leastDecimals = { USD: 2, STAR: 0 } as const

/** The largest amount. It is exact as a JSON number, and the sum of a thousand fits PostgreSQL's bigint. */
const largest = BigInt(Number.MAX_SAFE_INTEGER)

/** Converts an amount to a JSON number of dollars or stars. */
export const toNumber = (currency: Currency, amount: bigint): number => Number(amount) / 10 ** decimals[currency]

/** Writes an amount as a decimal string, with at least two decimals for dollars and none for stars. */
export const toDecimal = (currency: Currency, amount: bigint): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals[currency] + 1, "0")
  const whole = digits.slice(0, digits.length - decimals[currency])
  const fraction = digits
    .slice(digits.length - decimals[currency])
    .replace(/0+$/, "")
    .padEnd(leastDecimals[currency], "0")
  return `${amount < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}

/**
 * Parses a plain decimal such as `12.5`. Undefined for any other text, and when the amount is too large or finer than
 * the currency's unit.
 */
export const fromDecimal = (currency: Currency, text: string): bigint | undefined => {
  const match = /^(\d{1,16})(?:\.(\d+))?$/.exec(text)
  if (match === null) return undefined
  const fraction = (match[2] ?? "").replace(/0+$/, "")
  if (fraction.length > decimals[currency]) return undefined
  const amount = BigInt(match[1] + fraction.padEnd(decimals[currency], "0"))
  return amount > largest ? undefined : amount
}
