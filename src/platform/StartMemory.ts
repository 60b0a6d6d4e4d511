import { Effect, Layer } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Collects all garbage. Node hides the function that does it until the flag is set. */
const collect = Effect.sync(() => {
  setFlagsFromString("--expose-gc")
  runInNewContext("gc()")
  setFlagsFromString("--no-expose-gc")
})

/**
 * Gives back the memory that only the start of the process needed: about 70 MiB in the service and 30 MiB in a gateway.
 * An idle process would keep it. It stops the process for a tenth of a second, so it waits until the start is over.
 */
export const layer = Layer.effectDiscard(Effect.forkScoped(Effect.delay(collect, "5 seconds")))
