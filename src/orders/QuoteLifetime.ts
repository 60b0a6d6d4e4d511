import { Duration } from "effect"

/** Time that a quoted price holds. */
export const quoteLifetime = Duration.minutes(10)
