import { Cause } from "effect"
import * as DatabaseFailure from "../postgres/DatabaseFailure.ts"

/** A fault of the program itself, and not of what it works with. */
const isBug = (reason: Cause.Reason<unknown>) =>
  Cause.isDieReason(reason) && !DatabaseFailure.isUnavailable(reason.defect)

const faultOf = (reason: Cause.Reason<unknown>) =>
  Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : "interrupted"

const lineOf = (fault: unknown) => {
  if (Cause.isTimeoutError(fault)) return "no answer in time"
  const text = fault instanceof Error ? DatabaseFailure.reasonOf(fault) || fault.name : String(fault)
  return text.replace(/\s+/g, " ")
}

/** What to log of a failure: one line that says why; a fault of the program itself keeps its stack. */
export const told = (what: string, cause: Cause.Cause<unknown>): ReadonlyArray<unknown> =>
  cause.reasons.some(isBug)
    ? [what, cause]
    : [`${what}: ${[...new Set(cause.reasons.map((reason) => lineOf(faultOf(reason))))].join("; ")}`]
