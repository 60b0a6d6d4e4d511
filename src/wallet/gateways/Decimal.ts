import { Schema } from "effect"

const pattern = /^(\d{1,30})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i

/** A decimal number that is not negative, with the exact digits of its sender. */
export const Decimal = Schema.String.check(
  Schema.makeFilter((text) => pattern.test(text) || "Expected a decimal number that is not negative")
)

/** The number as `units / 10 ** scale`. */
const exact = (text: string) => {
  const [, whole = "", fraction = "", exponent = "0"] = pattern.exec(text) ?? []
  return { units: BigInt(whole + fraction), scale: fraction.length - Number(exponent) }
}

const power = (exponent: number) => 10n ** BigInt(Math.max(0, exponent))

const cent = 10_000n
/** The largest amount of one payment, in micro-dollars; a larger number is an error of the vendor. */
const largest = 1_000_000_000_000_000n

/**
 * Computes `dollars * times / over` in micro-dollars, rounded down to whole cents. The rounding removes the fractions
 * of a cent that exchange rates leave. Undefined when the result is not a valid amount.
 */
export const wholeCents = (dollars: string, times = "1", over = "1"): bigint | undefined => {
  const [a, b, c] = [exact(dollars), exact(times), exact(over)]
  if (c.units === 0n) return undefined
  const scale = a.scale + b.scale - c.scale
  const amount = ((a.units * b.units * 100n * power(-scale)) / (c.units * power(scale))) * cent
  return amount > largest ? undefined : amount
}
