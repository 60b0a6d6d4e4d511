import { Clock, Duration, Effect } from "effect"

/**
 * A clock that starts at the present time and runs `speed` times as fast; its sleeps are shorter by the same factor.
 */
export const make = (speed: number): Clock.Clock => {
  const live = Clock.Clock.defaultValue()
  const start = live.currentTimeNanosUnsafe()
  const monotonicStart = live.monotonicTimeNanosUnsafe()
  const factor = BigInt(speed)
  const nanos = () => start + (live.currentTimeNanosUnsafe() - start) * factor
  const monotonicNanos = () => monotonicStart + (live.monotonicTimeNanosUnsafe() - monotonicStart) * factor
  const millis = () => Number(nanos() / 1_000_000n)
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: monotonicNanos,
    monotonicTimeNanos: Effect.sync(monotonicNanos),
    sleep: (duration) => live.sleep(Duration.millis(Duration.toMillis(duration) / speed))
  }
}
