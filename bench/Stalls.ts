import { Effect } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"

/** In milliseconds. */
interface Stalls {
  /** The longest delay of a timer after it was due: other work waited as long. */
  readonly longest: number
  /** The duration of the whole effect. */
  readonly took: number
}

/**
 * The interval of the timer, in milliseconds. It is Node's own timer: one in JavaScript would leave garbage to collect.
 */
const resolution = 1

/** Measures how long an effect blocked its thread. Other load on the machine is included. */
export const during = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const delays = monitorEventLoopDelay({ resolution })
      delays.enable()
      return { delays, began: performance.now() }
    }),
    ({ began, delays }) =>
      Effect.gen(function* () {
        const value = yield* effect
        const took = performance.now() - began
        // The timer has yet to fire after the last turn.
        yield* Effect.sleep(5 * resolution)
        const stalls: Stalls = { longest: Math.max(delays.max / 1e6 - resolution, 0), took }
        return { value, stalls }
      }),
    ({ delays }) => Effect.sync(() => delays.disable())
  )
