/** A first and a last day, of UTC. */
interface Days {
  readonly from: string
  readonly to: string
}

const day = 86_400_000

const text = (time: number) => new Date(time).toISOString().slice(0, 10)

/** The first day of a period. Weeks begin on Monday; 1970-01-05 was one. */
const startOf = (time: number, unit: "week" | "month") => {
  if (unit === "month") return Date.parse(`${text(time).slice(0, 8)}01`)
  const monday = 4 * day
  return monday + Math.floor((time - monday) / (7 * day)) * 7 * day
}

const nextOf = (time: number, unit: "week" | "month") => {
  const start = startOf(time, unit)
  return unit === "week" ? start + 7 * day : startOf(start + 31 * day, "month")
}

/**
 * The whole weeks or months between two days: the first day of the first one, and of the one after the last. One that is not
 * over is whole too, because nothing happens after today.
 */
export const wholePeriods = ({ from, to }: Days, unit: "week" | "month", today: string): Days | undefined => {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const begin = startOf(first, unit) === first ? first : nextOf(first, unit)
  const isWhole = to >= today || nextOf(last, unit) === last + day
  const end = isWhole ? nextOf(last, unit) : startOf(last, unit)
  return begin < end ? { from: text(begin), to: text(end) } : undefined
}
