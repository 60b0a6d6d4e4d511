/** Converts dollars to micro-dollars. Undefined: not a positive price. */
export const fromDollars = (dollars: number): bigint | undefined => {
  const micros = Math.round(dollars * 1_000_000)
  return Number.isSafeInteger(micros) && micros > 0 ? BigInt(micros) : undefined
}
