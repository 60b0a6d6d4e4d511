import { Array as Arr, Effect } from "effect"

/** So few items take milliseconds. */
const atOnce = 100

/** Works on a long list part by part. The process answers others between the parts. */
export const inParts = <A, B, E, R>(
  items: ReadonlyArray<A>,
  work: (part: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E, R>
): Effect.Effect<ReadonlyArray<B>, E, R> =>
  Effect.map(
    Effect.forEach(Arr.chunksOf(items, atOnce), (part, index) =>
      index === 0 ? work(part) : Effect.andThen(Effect.yieldNow, work(part))
    ),
    (parts) => parts.flat()
  )
