/** The traffic of a payment, in bytes. */
interface PaidTraffic {
  readonly total: bigint
  readonly unused: bigint
}

/** A payment and what it bought: time from `starts_at` to `ends_at` in milliseconds, traffic, or both. */
export interface Term {
  readonly paid: bigint
  readonly returned: bigint
  readonly time: { readonly starts_at: number; readonly ends_at: number } | null
  readonly traffic: PaidTraffic | null
}

const least = (one: bigint, other: bigint) => (other < one ? other : one)
const most = (one: bigint, other: bigint) => (other > one ? other : one)

const ofTime = (paid: bigint, { ends_at, starts_at }: NonNullable<Term["time"]>, now: number) => {
  if (ends_at <= starts_at) return 0n
  const left = BigInt(Math.max(0, ends_at - Math.max(now, starts_at)))
  return (paid * left) / BigInt(ends_at - starts_at)
}

const ofTraffic = (paid: bigint, { total, unused }: PaidTraffic) =>
  total <= 0n ? 0n : (paid * least(most(unused, 0n), total)) / total

/**
 * The part of a payment for what is left: the smaller one of the shares of the time and of the traffic, rounded down, less what
 * was returned before.
 */
export const shareOf = ({ paid, returned, time, traffic }: Term, now: number): bigint => {
  const byTime = time === null ? paid : ofTime(paid, time, now)
  const byTraffic = traffic === null ? paid : ofTraffic(paid, traffic)
  const share = time === null && traffic === null ? 0n : least(byTime, byTraffic)
  return most(0n, share - returned)
}

/** Spreads an amount over bounds, the first ones first. The bounds cover the amount. */
export const spread = (amount: bigint, bounds: ReadonlyArray<bigint>): ReadonlyArray<bigint> => {
  let left = amount
  return bounds.map((bound) => {
    const part = least(left, bound)
    left -= part
    return part
  })
}
