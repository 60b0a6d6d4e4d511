import { Clock, Duration, Effect } from "effect"
import type { ChildProcess } from "node:child_process"
import * as RateLimitMemory from "./RateLimitMemory.ts"

type Counted = readonly [used: number, forgottenIn: number]
type Use = readonly [key: string, tokens: number, limit: number | null, refillMillis: number]

/** Asks the primary process to count the uses of one turn of the event loop. */
interface Uses {
  readonly rateLimitUses: ReadonlyArray<Use>
}

/** Answers `Uses`. A channel keeps the order of its messages, so each answer belongs to the oldest open question. */
interface Answers {
  readonly rateLimitCounted: ReadonlyArray<Counted>
}

/** A worker may end before it gets its answer. */
const ignored = () => {}

const counting = () => {
  type Resume = (counted: Effect.Effect<Counted>) => void
  const questions: Array<ReadonlyArray<Resume>> = []
  let uses: Array<Use> = []
  let waiting: Array<Resume> = []

  const send = () => {
    questions.push(waiting)
    process.send?.({ rateLimitUses: uses } satisfies Uses, ignored)
    uses = []
    waiting = []
  }
  const answered = (message: Partial<Answers>) => {
    if (message.rateLimitCounted === undefined) return
    const asked = questions.shift() ?? []
    for (const [index, counted] of message.rateLimitCounted.entries()) asked[index]?.(Effect.succeed(counted))
  }
  const count: RateLimitMemory.Count = ({ key, limit = null, refillRate, tokens }) =>
    Effect.callback((resume) => {
      waiting.push(resume)
      if (uses.push([key, tokens, limit, Duration.toMillis(refillRate)]) === 1) setImmediate(send)
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
  const counted = ([key, tokens, limit, refillMillis]: Use) =>
    countAt(
      { key, tokens, limit: limit ?? undefined, refillRate: Duration.millis(refillMillis) },
      clock.currentTimeMillisUnsafe()
    )
  return (worker: ChildProcess) => {
    worker.on("message", ({ rateLimitUses }: Partial<Uses>) => {
      if (rateLimitUses === undefined) return
      worker.send({ rateLimitCounted: rateLimitUses.map(counted) } satisfies Answers, ignored)
    })
  }
})
