import { Duration, Effect } from "effect"
import { DrainTime } from "../http/Draining.ts"

/**
 * Time limit of a stop after the draining. A stop can hang, for example while the database does not answer; then the
 * process exits. No data is lost.
 */
const lastResort = Duration.seconds(8)

/** The time after which a process that was asked to stop has ended in any case. */
export const time = Effect.map(DrainTime, Duration.sum(lastResort))

/** Ends this process after a signal to stop, even when its stop hangs. Adds `longer`, in which child processes end first. */
export const armWith = Effect.fnUntraced(function* (longer: Duration.Duration) {
  const atMost = Duration.toMillis(Duration.sum(yield* time, longer))
  const endInAnyCase = () => void setTimeout(() => process.exit(1), atMost).unref()
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, endInAnyCase)
})

export const arm = armWith(Duration.zero)
