import { Schema } from "effect"

/** `USD` is counted in micro-dollars, `STAR` in whole stars; both as exact integers. */
export const Currency = Schema.Literals(["USD", "STAR"])
export type Currency = typeof Currency.Type

const decimals = { USD: 6, STAR: 0 } as const
const shownDecimals = { USD: 2, STAR: 0 } as const

/** Exact as a JSON number, and a thousand of them together still fit PostgreSQL's bigint. */
const largest = BigInt(Number.MAX_SAFE_INTEGER)

/** The amount as a JSON number: dollars or stars. */
export const toNumber = (currency: Currency, amount: bigint): number => Number(amount) / 10 ** decimals[currency]

/** The amount as a decimal string: at least two decimals for dollars, none for stars. */
export const toDecimal = (currency: Currency, amount: bigint): string => {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(decimals[currency] + 1, "0")
  const whole = digits.slice(0, digits.length - decimals[currency])
  const fraction = digits
    .slice(digits.length - decimals[currency])
    .replace(/0+$/, "")
    .padEnd(shownDecimals[currency], "0")
  return `${amount < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}

/** Parses a plain decimal such as `12.5`; undefined when it is none, is too large or is finer than the currency's unit. */
export const fromDecimal = (currency: Currency, text: string): bigint | undefined => {
  const match = /^(\d{1,16})(?:\.(\d+))?$/.exec(text)
  if (match === null) return undefined
  const fraction = (match[2] ?? "").replace(/0+$/, "")
  if (fraction.length > decimals[currency]) return undefined
  const amount = BigInt(match[1] + fraction.padEnd(decimals[currency], "0"))
  return amount > largest ? undefined : amount
}
