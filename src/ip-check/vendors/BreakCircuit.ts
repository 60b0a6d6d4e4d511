import { Duration, Effect, Exit, Option } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { VendorUnavailable } from "./IpVendor.ts"

const failures = 5
const openFor = Duration.seconds(30)
const shortestPause = Duration.seconds(1)
const longestRequestedPause = Duration.hours(1)

const failureOf = (exit: Exit.Exit<unknown, VendorUnavailable | CircuitBreaker.CircuitBreakerError>) => {
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  return error?._tag === "VendorUnavailable" ? error : undefined
}

const rejected = () => new VendorUnavailable({ reason: "paused after failures", raw: null })

const healthKey = (vendor: string) => `${vendor}:health`
const pauseKey = (vendor: string) => `${vendor}:pause`

const isOpen = (breaker: CircuitBreaker.CircuitBreaker, key: string) =>
  Effect.orDie(
    // An open circuit stays open until a call tries it.
    Effect.map(breaker.state(key), (state) => state._tag === "Open" && Duration.isPositive(state.retryAfter))
  )

/** The circuit breakers of all vendors. */
interface CircuitBreakers {
  /** True while a vendor is paused. */
  readonly isOpen: (vendor: string) => Effect.Effect<boolean>
  /** Runs a call, or fails immediately while the vendor is paused. */
  readonly run: <A>(vendor: string, call: Effect.Effect<A, VendorUnavailable>) => Effect.Effect<A, VendorUnavailable>
}

/**
 * Makes the circuit breakers of vendors, for this process. A vendor that fails five times in a row is paused for 30 seconds.
 * A vendor that answers 429 is paused for the time that it requests, at most an hour. After a pause, one call tries the
 * vendor. An unusable answer is not a failure, so that requests for unusual addresses cannot disable a vendor for everyone.
 */
export const make = Effect.gen(function* () {
  const health = yield* CircuitBreaker.make({ tripPolicy: CircuitBreaker.consecutive(failures), openDuration: openFor })
  const pauses = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(1),
    openDuration: shortestPause,
    maxOpenDuration: longestRequestedPause
  })

  const breakers: CircuitBreakers = {
    isOpen: (vendor) =>
      Effect.zipWith(
        isOpen(health, healthKey(vendor)),
        isOpen(pauses, pauseKey(vendor)),
        (isFailing, isPaused) => isFailing || isPaused
      ),

    run: (vendor, call) =>
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
  return breakers
}).pipe(Effect.provide(CircuitBreaker.layerStoreMemory()))
