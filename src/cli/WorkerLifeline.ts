import { Effect, Layer } from "effect"

/** The message of a worker that answers requests. */
export const ready = "the worker answers"

/** Reports to the primary process that this worker answers requests. Ends this process when the primary has ended. */
export const layer = Layer.effectDiscard(
  Effect.sync(() => {
    // The primary runs the database, and its successor needs the port.
    process.once("disconnect", () => process.exit(1))
    process.send?.(ready)
  })
)
