import { Duration } from "effect"

/** The time for which an ended hold of an exit address stays on record. A complaint may reach the operator after a year. */
export const holdRetention = Duration.days(400)
