import { Array as Arr, Cause, type Context, Deferred, Effect, Exit } from "effect"

interface Call<A, B> {
  readonly item: A
  readonly result: Deferred.Deferred<B>
  /** Holds the request id of the log and the span of the trace. A batch has those of its first call. */
  readonly context: Context.Context<never>
}

interface Options<A, B> {
  /** Returns a result for each item, in the order of the items. */
  readonly run: (items: Arr.NonEmptyReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>>
  readonly itemsAtMost: number
  /** The batches that run at the same time. */
  readonly concurrency: number
}

/**
 * Makes a function that runs calls in batches, as a database commits transactions in groups. A call runs immediately
 * while few batches run. Calls that arrive later form the next batch. When a batch fails, each of its items runs alone,
 * so an item that fails does not fail the others. A caller that leaves does not interrupt its call.
 */
export const make = <A, B>({ concurrency, itemsAtMost, run }: Options<A, B>) => {
  const waiting: Array<Call<A, B>> = []
  let running = 0

  const runFor = (calls: Arr.NonEmptyReadonlyArray<Call<A, B>>) =>
    Effect.provideContext(run(Arr.map(calls, ({ item }) => item)), calls[0].context)

  const runAlone = (call: Call<A, B>) =>
    Effect.flatMap(Effect.exit(runFor([call])), (exit) =>
      Deferred.done(
        call.result,
        Exit.map(exit, ([only]) => only!)
      )
    )

  const runTogether = (calls: Arr.NonEmptyReadonlyArray<Call<A, B>>) =>
    Effect.matchCauseEffect(runFor(calls), {
      onSuccess: (results) =>
        Effect.sync(() => calls.forEach(({ result }, n) => Deferred.doneUnsafe(result, Exit.succeed(results[n]!)))),
      onFailure: (cause) =>
        Effect.andThen(
          Effect.logDebug("A batch failed; its items run alone", Cause.squash(cause)),
          Effect.forEach(calls, runAlone, { concurrency: "unbounded", discard: true })
        )
    })

  /** Runs batches until no call waits. */
  const work: Effect.Effect<void> = Effect.suspend(() => {
    const calls = waiting.splice(0, itemsAtMost)
    if (Arr.isArrayNonEmpty(calls))
      return Effect.andThen(calls.length === 1 ? runAlone(calls[0]) : runTogether(calls), work)
    running--
    return Effect.void
  })

  return (item: A): Effect.Effect<B> =>
    Effect.contextWith((context: Context.Context<never>) => {
      const result = Deferred.makeUnsafe<B>()
      waiting.push({ item, result, context })
      if (running < concurrency) {
        running++
        // Calls of the same turn of the event loop join the batch.
        Effect.runForkWith(context)(Effect.andThen(Effect.yieldNow, work))
      }
      return Deferred.await(result)
    })
}
