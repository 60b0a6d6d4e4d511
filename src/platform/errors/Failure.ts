import { Cause } from "effect"
import * as DatabaseFailure from "../postgres/DatabaseFailure.ts"

/** True for a defect. An unavailable database does not count, although Effect reports it as a defect. */
const isDefect = (reason: Cause.Reason<unknown>) =>
  Cause.isDieReason(reason) && !DatabaseFailure.isUnavailable(reason.defect)

const errorOf = (reason: Cause.Reason<unknown>) =>
  Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : "interrupted"

const textOf = (error: unknown) => {
  if (Cause.isTimeoutError(error)) return "no answer in time"
  const text = error instanceof Error ? DatabaseFailure.reasonOf(error) || error.name : String(error)
  return text.replace(/\s+/g, " ")
}

/** Returns the arguments of a log call: one line that says what happened and why. A defect keeps its stack. */
export const logLine = (what: string, cause: Cause.Cause<unknown>): ReadonlyArray<unknown> =>
  cause.reasons.some(isDefect)
    ? [what, cause]
    : [`${what}: ${[...new Set(cause.reasons.map((reason) => textOf(errorOf(reason))))].join("; ")}`]
