import { Array as Arr, Cause, Context, Effect, Exit, References, Tracer } from "effect"
import { Statement } from "effect/sql"
import { reasonOf } from "./DatabaseFailure.ts"

interface Call<A, B> {
  readonly item: A
  readonly resume: (result: Effect.Effect<B>) => void
  readonly context: Context.Context<never>
}

/**
 * Picks what a batch takes from the context of its first call: the request id of the log, and the span. The batch belongs
 * to no transaction of a caller.
 */
const inherited = Context.pick(References.CurrentLogAnnotations, Tracer.ParentSpan, Statement.CurrentTransformer)

interface Options<A, B> {
  /** Returns a result for each item, in the order of the items. */
  readonly run: (items: Arr.NonEmptyReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>>
  /** Runs an item after the failure of its batch, which may have done its work. Default: the item runs alone. */
  readonly runAgain?: (item: A) => Effect.Effect<B>
  readonly itemsAtMost: number
  /** The batches that run at the same time. */
  readonly concurrency: number
}

const failureOf = (cause: Cause.Cause<never>) => {
  const error = Cause.squash(cause)
  return error instanceof Error ? reasonOf(error) : String(error)
}

/**
 * Makes a function that runs concurrent calls together. A call starts a batch unless `concurrency` batches run. Calls that
 * arrive meanwhile make up the next batch. When a batch fails, its items run again one by one, so an item that fails does
 * not fail the others. A caller that leaves before its batch begins takes its item back.
 */
export const make = Effect.fnUntraced(function* <A, B>({ concurrency, itemsAtMost, run, runAgain }: Options<A, B>) {
  const own = yield* Effect.context<never>()
  /** Copies all services, so it is called for a batch and not for each call. */
  const contextFor = ({ context }: Call<A, B>) => Context.merge(own, inherited(context))

  const waiting: Array<Call<A, B>> = []
  let running = 0

  // A throw of `run` itself becomes a failure of the batch.
  const runItems = (items: Arr.NonEmptyReadonlyArray<A>) => Effect.suspend(() => run(items))
  const alone = runAgain ?? ((item: A) => Effect.map(runItems([item]), ([only]) => only!))

  const again = (call: Call<A, B>) =>
    void Effect.runForkWith(contextFor(call))(Effect.map(Effect.exit(alone(call.item)), call.resume))

  const runBatch = (calls: Arr.NonEmptyReadonlyArray<Call<A, B>>) =>
    runItems(Arr.map(calls, ({ item }) => item)).pipe(
      Effect.matchCauseEffect({
        onSuccess: (results) => Effect.sync(() => calls.forEach(({ resume }, n) => resume(Exit.succeed(results[n]!)))),
        onFailure: (cause) => {
          if (calls.length === 1 && runAgain === undefined)
            return Effect.sync(() => calls[0].resume(Effect.failCause(cause)))
          return Effect.andThen(
            Effect.logWarning(`A batch of ${calls.length} failed (${failureOf(cause)}); its items run again`),
            Effect.sync(() => calls.forEach(again))
          )
        }
      }),
      Effect.provideContext(contextFor(calls[0]))
    )

  /** Runs batches until no call waits. */
  const work: Effect.Effect<void> = Effect.suspend(() => {
    const calls = waiting.splice(0, itemsAtMost)
    if (Arr.isArrayNonEmpty(calls)) return Effect.andThen(runBatch(calls), work)
    running--
    return Effect.void
  })

  return (item: A): Effect.Effect<B> =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback<B>((resume) => {
        const call: Call<A, B> = { item, resume, context }
        waiting.push(call)
        if (running < concurrency) {
          running++
          // Calls of the same turn of the event loop join the batch.
          Effect.runForkWith(own)(Effect.andThen(Effect.yieldNow, work))
        }
        return Effect.sync(() => {
          const position = waiting.indexOf(call)
          if (position >= 0) waiting.splice(position, 1)
        })
      })
    )
})
