import { Effect } from "effect"

/** In milliseconds. */
export interface Stalls {
  /** The longest turn of the event loop: so long anything else waited. Other work on the machine is in it too. */
  readonly longest: number
  /** How long it all took. */
  readonly took: number
}

/** How long an effect kept everything else on its thread waiting. */
export const during = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const began = performance.now()
    let longest = 0
    let last = began
    let next: NodeJS.Immediate | undefined
    const turn = () => {
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
      next = setImmediate(turn)
    }
    next = setImmediate(turn)
    return effect.pipe(
      Effect.map((value): { readonly value: A; readonly stalls: Stalls } => ({
        value,
        stalls: { longest, took: performance.now() - began }
      })),
      Effect.ensuring(Effect.sync(() => clearImmediate(next)))
    )
  })
