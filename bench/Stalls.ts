import { Effect } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"

/** In milliseconds. */
interface Stalls {
  /** How much later than it was due a timer fired at worst: so long anything else waited. */
  readonly longest: number
  /** How long it all took. */
  readonly took: number
}

/** Of the timer, in milliseconds. It is Node's own: one in JavaScript would leave garbage to be collected. */
const resolution = 1

/** How long an effect kept everything else on its thread waiting. Other work on the machine is in it too. */
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
