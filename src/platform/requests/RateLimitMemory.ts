import { Clock, Duration, Effect } from "effect"
import type { RateLimiter } from "effect/persistence"

/**
 * Counts uses of a key. Returns their number, and the milliseconds until they expire. Each use extends this time by one
 * refill; a use over the limit is not stored. Negative tokens give uses back.
 */
export type Count = RateLimiter.RateLimiterStore["Service"]["fixedWindow"]

interface Counter {
  readonly count: number
  readonly expiresAt: number
}

const keptAtMost = 200_000
const sweepEvery = Duration.toMillis("1 minute")

type Use = Parameters<Count>[0]

/** Counts at a time in milliseconds. */
export type CountAt = (use: Use, now: number) => readonly [used: number, forgottenIn: number]

/** Counts in memory. Removes expired keys and, beyond `most` keys, the oldest ones. */
export const makeAt = (most = keptAtMost, counters = new Map<string, Counter>()): CountAt => {
  let sweptAt = 0

  const sweep = (now: number) => {
    if (now - sweptAt < sweepEvery) return
    sweptAt = now
    for (const [key, { expiresAt }] of counters) if (expiresAt <= now) counters.delete(key)
  }

  const keep = (key: string, counter: Counter) => {
    if (!counters.has(key) && counters.size >= most)
      for (const oldest of counters.keys()) {
        counters.delete(oldest)
        break
      }
    counters.set(key, counter)
  }

  return ({ key, limit, refillRate, tokens }, now) => {
    sweep(now)
    const found = counters.get(key)
    const current = found !== undefined && found.expiresAt > now ? found : { count: 0, expiresAt: now }
    const count = current.count + tokens
    if (limit !== undefined && count > limit) return [count, current.expiresAt - now]
    const expiresAt = current.expiresAt + Duration.toMillis(refillRate) * tokens
    if (expiresAt > now) keep(key, { count, expiresAt })
    else counters.delete(key)
    return [count, Math.max(0, expiresAt - now)]
  }
}

/** Counts at the time of the clock. */
export const byClock =
  (countAt: CountAt): Count =>
  (use) =>
    Effect.map(Clock.currentTimeMillis, (now) => countAt(use, now))

export const make = (most?: number, counters?: Map<string, Counter>): Count => byClock(makeAt(most, counters))
