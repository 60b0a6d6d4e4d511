import { Clock, Duration, Effect, Semaphore } from "effect"
import { VendorFault } from "./VendorFault.ts"

export interface Pace {
  /** Calls that may start within any minute. */
  readonly callsPerMinute: number
  /** From the start of one change to the start of the next. */
  readonly writeGap: Duration.Duration
  /** From the start of one purchase to the start of the next. */
  readonly moneyGap: Duration.Duration
  /** How long a call waits for its turn. */
  readonly patience: Duration.Duration
}

/** Changes go one at a time, and purchases, which cost money, are further apart; questions only count. */
export type CallKind = "read" | "write" | "money"

const minuteMillis = 60_000
/** The part of the calls that questions may take: the rest is left to changes and purchases. */
const readShare = 0.8
/** The longest pause a vendor may ask for. */
const longestPause = Duration.minutes(1)

/**
 * The pace of this process's calls to one vendor. A call whose turn does not come in time is not made: it fails as
 * `not_executed`.
 */
export const make = Effect.fnUntraced(function* (pace: Pace) {
  const lane = yield* Semaphore.make(1)
  const starts: Array<number> = []
  let blockedUntil = 0
  let lastWrite = -Infinity
  let lastMoney = -Infinity

  const mostReads = Math.max(1, Math.floor(pace.callsPerMinute * readShare))

  const earliest = (kind: CallKind) => {
    const most = kind === "read" ? mostReads : pace.callsPerMinute
    const oldest = starts.length < most ? -Infinity : starts[starts.length - most]!
    const paused = Math.max(blockedUntil, oldest + minuteMillis)
    if (kind === "read") return paused
    const afterWrite = Math.max(paused, lastWrite + Duration.toMillis(pace.writeGap))
    return kind === "write" ? afterWrite : Math.max(afterWrite, lastMoney + Duration.toMillis(pace.moneyGap))
  }

  /** Waits for the turn of a call and counts it as started. */
  const turn = Effect.fnUntraced(function* (kind: CallKind) {
    for (;;) {
      const now = yield* Clock.currentTimeMillis
      const wait = earliest(kind) - now
      if (wait <= 0) {
        while (starts.length > 0 && starts[0]! <= now - minuteMillis) starts.shift()
        starts.push(now)
        if (kind !== "read") lastWrite = now
        if (kind === "money") lastMoney = now
        return
      }
      yield* Effect.sleep(wait)
    }
  })

  const run =
    (kind: CallKind) =>
    <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | VendorFault, R> =>
      Effect.suspend(() => {
        let isStarted = false
        const inTurn = Effect.andThen(
          turn(kind),
          Effect.suspend(() => {
            isStarted = true
            return call
          })
        )
        const impatience = Effect.delay(
          Effect.suspend(() =>
            isStarted
              ? Effect.never
              : Effect.fail(new VendorFault({ outcome: "not_executed", reason: "too many calls are waiting" }))
          ),
          pace.patience
        )
        return Effect.raceFirst(kind === "read" ? inTurn : lane.withPermit(inTurn), impatience)
      })

  return {
    run,
    /** The vendor wants no call for so long. */
    pause: Effect.fnUntraced(function* (wanted: Duration.Duration) {
      const now = yield* Clock.currentTimeMillis
      blockedUntil = Math.max(blockedUntil, now + Duration.toMillis(Duration.min(wanted, longestPause)))
    })
  }
})
export type VendorLane = Effect.Success<ReturnType<typeof make>>
