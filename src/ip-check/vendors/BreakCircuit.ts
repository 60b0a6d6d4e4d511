import { Duration, Effect, Exit, Option } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { VendorUnavailable } from "./IpVendor.ts"

const failures = 5
const openFor = Duration.seconds(30)
const shortestPause = Duration.seconds(1)
/** A vendor that wants to be left alone is tried again after so long at the latest. */
const longestPause = Duration.hours(1)

const failureOf = (exit: Exit.Exit<unknown, VendorUnavailable | CircuitBreaker.CircuitBreakerError>) => {
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  return error?._tag === "VendorUnavailable" ? error : undefined
}

const rejected = () => new VendorUnavailable({ reason: "left alone after it failed", raw: null })

const healthKey = (vendor: string) => `${vendor}:health`
const pauseKey = (vendor: string) => `${vendor}:pause`

const isOpen = (breaker: CircuitBreaker.CircuitBreaker, key: string) =>
  Effect.orDie(
    // An open one stays so until it is tried.
    Effect.map(breaker.state(key), (state) => state._tag === "Open" && Duration.isPositive(state.retryAfter))
  )

/**
 * Leaves alone, in this process, a vendor that failed five times in a row, for 30 seconds, and one that asked for it
 * (429), for as long as it wants. After that one call tries it. An answer that cannot be used is no failure: else whoever
 * asks about odd addresses would switch a vendor off for all.
 */
export const make = Effect.gen(function* () {
  const health = yield* CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(failures), openDuration: openFor })
  const pauses = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(1),
    openDuration: shortestPause,
    maxOpenDuration: longestPause
  })

  return {
    /** Whether a call would be refused for some time. */
    isOpen: (vendor: string) =>
      Effect.zipWith(
        isOpen(health, healthKey(vendor)),
        isOpen(pauses, pauseKey(vendor)),
        (isFailing, isPaused) => isFailing || isPaused
      ),

    run: <A>(vendor: string, call: Effect.Effect<A, VendorUnavailable>): Effect.Effect<A, VendorUnavailable> =>
      call.pipe(
        health.execute({
          key: healthKey(vendor),
          classify: (exit) => {
            if (Exit.isSuccess(exit)) return CircuitBreaker.success
            const failed = failureOf(exit)
            return failed?.pause !== undefined || failed?.isAnswer === true
              ? CircuitBreaker.ignored
              : CircuitBreaker.failure()
          }
        }),
        pauses.execute({
          key: pauseKey(vendor),
          classify: (exit) => {
            const pause = failureOf(exit)?.pause
            return pause === undefined ? CircuitBreaker.success : CircuitBreaker.failure({ retryAfter: pause })
          }
        }),
        Effect.catchTag("CircuitBreakerError", () => Effect.fail(rejected()))
      )
  }
}).pipe(Effect.provide(CircuitBreaker.layerStoreMemory()))
