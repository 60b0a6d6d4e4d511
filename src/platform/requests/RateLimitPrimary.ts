import { Clock, Duration, Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import * as RateLimitMemory from "./RateLimitMemory.ts"

type Counted = readonly [used: number, forgottenIn: number]
type Use = readonly [question: number, key: string, tokens: number, limit: number | null, refillMillis: number]

/** Asks the primary process to count the uses of one turn of the event loop. */
interface Uses {
  readonly rateLimitUses: ReadonlyArray<Use>
}

/** Answers `Uses`: each count with the number of its question. */
interface Answers {
  readonly rateLimitCounted: ReadonlyArray<readonly [question: number, counted: Counted]>
}

/** A worker may end before it gets its answer. */
const ignored = () => {}

/** Counts the questions of this process, because all its counters get all answers. */
let questions = 0

const counting = () => {
  /** The requests that wait for a count, by their question. A request that ends leaves the map. */
  const open = new Map<number, (counted: Effect.Effect<Counted>) => void>()
  let uses: Array<Use> = []

  const send = () => {
    process.send?.({ rateLimitUses: uses } satisfies Uses, ignored)
    uses = []
  }
  const answered = ({ rateLimitCounted = [] }: Partial<Answers>) => {
    for (const [question, counted] of rateLimitCounted) {
      open.get(question)?.(Effect.succeed(counted))
      open.delete(question)
    }
  }
  const count: RateLimitMemory.Count = ({ key, limit = null, refillRate, tokens }) =>
    Effect.callback((resume) => {
      const question = ++questions
      open.set(question, resume)
      if (uses.push([question, key, tokens, limit, Duration.toMillis(refillRate)]) === 1) setImmediate(send)
      return Effect.sync(() => open.delete(question))
    })
  return { answered, count }
}

/** Counts in the primary process, so that all workers of a machine share the limits. */
export const make = Effect.map(
  // A worker that waits for the database at its start builds its parts several times.
  Effect.acquireRelease(
    Effect.sync(() => {
      const { answered, count } = counting()
      process.on("message", answered)
      return { answered, count }
    }),
    ({ answered }) => Effect.sync(() => void process.off("message", answered))
  ),
  ({ count }) => count
)

/** Makes the function that counts for a worker, in the primary process. */
export const makeServe = Effect.map(Clock.Clock, (clock) => {
  const countAt = RateLimitMemory.makeAt()
  const answer = ([question, key, tokens, limit, refillMillis]: Use) => {
    const use = { key, tokens, limit: limit ?? undefined, refillRate: Duration.millis(refillMillis) }
    return [question, countAt(use, clock.currentTimeMillisUnsafe())] as const
  }
  return (worker: ChildProcess) => {
    worker.on("message", ({ rateLimitUses }: Partial<Uses>) => {
      if (rateLimitUses === undefined) return
      worker.send({ rateLimitCounted: rateLimitUses.map(answer) } satisfies Answers, ignored)
    })
  }
})
