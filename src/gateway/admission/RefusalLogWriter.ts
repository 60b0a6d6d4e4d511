import { Context, Effect, Layer } from "effect"
import * as Failure from "../../platform/errors/Failure.ts"
import { NodeControl } from "../NodeControl.ts"
import { type CountedRefusals, RefusalLog } from "./RefusalLog.ts"

const writeInterval = "2 seconds"
const batch = 1_000
const answerTimeout = "5 seconds"
/** The time limit of the last counts. The supervisor gives the whole gateway 2 seconds to end. */
const lastCountsTimeout = "1 second"

const rowOf = ({ first_at, last_at, ...counted }: CountedRefusals) => ({
  ...counted,
  first_at: new Date(first_at).toISOString(),
  last_at: new Date(last_at).toISOString()
})

const makeWrite = (log: RefusalLog, record: NodeControl["Service"]["writeRefusals"]) => {
  const writeBatch = (taken: ReadonlyArray<CountedRefusals>) =>
    record(taken.map(rowOf)).pipe(
      Effect.timeout(answerTimeout),
      Effect.onError(() => Effect.sync(() => log.giveBack(taken)))
    )
  return Effect.gen(function* () {
    while (!log.isEmpty) yield* writeBatch(log.take(batch))
    const dropped = log.takeDropped()
    if (dropped > 0) yield* Effect.logWarning(`The log of refusals lacks ${dropped} refused connections`)
  })
}

const failed = (what: string) => Effect.catchCause((cause) => Effect.logWarning(...Failure.logLine(what, cause)))

/** Records the refusals of a gateway process in batches, for the owners of the proxies. */
export class RefusalLogWriter extends Context.Service<RefusalLogWriter, { readonly log: RefusalLog }>()(
  "app/gateway/RefusalLogWriter"
) {
  static readonly layer = Layer.effect(
    RefusalLogWriter,
    Effect.gen(function* () {
      const log = new RefusalLog()
      const write = makeWrite(log, (yield* NodeControl).writeRefusals)
      yield* Effect.addFinalizer(() =>
        write.pipe(Effect.timeout(lastCountsTimeout), failed("Cannot record the last refusals"))
      )
      yield* write.pipe(
        failed("Cannot record refusals; trying again in 2 seconds"),
        Effect.delay(writeInterval),
        Effect.forever,
        Effect.forkScoped
      )
      return RefusalLogWriter.of({ log })
    })
  )
}
