import { Effect, Layer } from "effect"

/** The message of a worker that answers requests. */
export const ready = "the worker answers"

const end = () => process.exit(1)

/**
 * Ends this process when the primary has ended, also while this worker still starts: the primary runs the database, and
 * the next primary needs the port.
 */
export const arm = Effect.sync(() => {
  if (process.send === undefined) return
  process.once("disconnect", end)
  if (!process.connected) end()
})

/** Reports to the primary process that this worker answers requests. */
export const layer = Layer.effectDiscard(Effect.sync(() => void process.send?.(ready)))
