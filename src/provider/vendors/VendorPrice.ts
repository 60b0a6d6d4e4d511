/** Converts dollars to micro-dollars. Undefined: not a positive price. */
export const fromDollars = (dollars: number): bigint | undefined => {
  const micros = Math.round(dollars * 1_000_000)
  return Number.isSafeInteger(micros) && micros > 0 ? BigInt(micros) : undefined
}

const centMicros = 10_000n

/** Adds the markup to a cost in micro-dollars, and rounds up to a whole cent. */
export const withMarkup = (usd: bigint, markup_percent: number): bigint => {
  const hundredths = usd * BigInt(100 + markup_percent)
  const step = 100n * centMicros
  return ((hundredths + step - 1n) / step) * centMicros
}
