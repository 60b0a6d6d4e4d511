import { Effect, Layer, Schedule } from "effect"
import * as Job from "../platform/Job.ts"
import { Providers } from "../provider/Providers.ts"

/**
 * Counts the stock of each provider, so that the orders of this process follow what other processes sell and what ends.
 * `CatalogStock` counts in the process that runs every job.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { all } = yield* Providers
    const count = Effect.forEach(all, ({ stock }) => stock?.count ?? Effect.void, { discard: true })
    return Job.layer("StockCount", Schedule.spaced("1 second"), count)
  })
)
