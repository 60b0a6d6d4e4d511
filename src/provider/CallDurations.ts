/** The upper bounds of the steps in which durations are counted, in milliseconds. Longer ones count in the last step. */
const bounds: ReadonlyArray<number> = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000,
  15_000, 20_000, 30_000, 60_000
]

/** No duration yet: a number for each step. */
export const none = (): Array<number> => bounds.map(() => 0)

/** The step of a duration. */
export const stepOf = (milliseconds: number): number => {
  const step = bounds.findIndex((bound) => milliseconds <= bound)
  return step === -1 ? bounds.length - 1 : step
}

/** The duration in milliseconds that a share of the calls does not exceed, rounded up to a bound; undefined without calls. */
export const quantile = (counted: ReadonlyArray<number>, share: number): number | undefined => {
  const total = counted.reduce((sum, count) => sum + count, 0)
  let seen = 0
  return total === 0 ? undefined : bounds[counted.findIndex((count) => (seen += count) >= share * total)]
}
