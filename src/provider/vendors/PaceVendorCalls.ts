import { Clock, Duration, Effect, Semaphore } from "effect"
import { VendorFailure } from "./VendorFailure.ts"

/** The limits of the calls to one vendor. */
export interface Pace {
  /** The most calls that start within any minute. */
  readonly callsPerMinute: number
  /** The shortest time between the starts of two changes. */
  readonly writeGap: Duration.Duration
  /** The shortest time between the starts of two purchases. */
  readonly moneyGap: Duration.Duration
  /** The longest time that a call waits for its turn. */
  readonly patience: Duration.Duration
}

/**
 * `read`: counts against the limit only. `write`: a free change; changes run one at a time. `money`: a change that costs
 * money.
 */
export type CallKind = "read" | "write" | "money"

/** Limits the pace of the calls to one vendor. */
export interface VendorLane {
  /** Runs a call when its turn comes. */
  readonly run: (kind: CallKind) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E | VendorFailure, R>
  /** Starts no call for this time, at most one minute. */
  readonly pause: (wanted: Duration.Duration) => Effect.Effect<void>
}

const minuteMillis = 60_000
/** The share of the calls that reads may use. The rest is reserved for changes and purchases. */
const readShare = 0.8
const longestRequestedPause = Duration.minutes(1)

/**
 * Paces the calls of this process to one vendor. A call whose turn does not come in time is not sent: it fails with
 * `not_executed`.
 */
export const make = Effect.fnUntraced(function* (pace: Pace): Effect.fn.Return<VendorLane> {
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

  /** Waits for the turn of a call, then counts the call as started. */
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

  const run: VendorLane["run"] =
    (kind) =>
    <A, E, R>(call: Effect.Effect<A, E, R>) =>
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
              : Effect.fail(new VendorFailure({ outcome: "not_executed", reason: "too many calls are waiting" }))
          ),
          pace.patience
        )
        return Effect.raceFirst(kind === "read" ? inTurn : lane.withPermit(inTurn), impatience)
      })

  return {
    run,
    pause: Effect.fnUntraced(function* (wanted: Duration.Duration) {
      const now = yield* Clock.currentTimeMillis
      blockedUntil = Math.max(blockedUntil, now + Duration.toMillis(Duration.min(wanted, longestRequestedPause)))
    })
  }
})
