import { Data } from "effect"

/** The person may suspend for at most 7 days, and the end must lie ahead. */
export class SuspensionTooLong extends Data.TaggedError("SuspensionTooLong")<{}> {
  readonly status = 422
  readonly field = "days"
  readonly detail = "You suspend for at most 7 days: only an owner suspends for longer"
}
