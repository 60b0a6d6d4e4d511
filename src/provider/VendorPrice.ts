/** Micro-dollars of a vendor's price in dollars; undefined when it is none. */
export const fromDollars = (dollars: number): bigint | undefined => {
  const micros = Math.round(dollars * 1_000_000)
  return Number.isSafeInteger(micros) && micros > 0 ? BigInt(micros) : undefined
}

const centMicros = 10_000n

/** What we ask for what costs us `usd`: with the markup, rounded up to a cent. */
export const withMarkup = (usd: bigint, markup_percent: number): bigint => {
  const hundredths = usd * BigInt(100 + markup_percent)
  const step = 100n * centMicros
  return ((hundredths + step - 1n) / step) * centMicros
}
