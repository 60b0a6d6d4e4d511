import { Cause, Effect, References } from "effect"
import * as DatabaseFailure from "../platform/postgres/DatabaseFailure.ts"
import * as Failure from "../platform/errors/Failure.ts"
import * as RequestDefect from "../platform/errors/RequestDefect.ts"
import { ToolFailure } from "./ToolFailure.ts"

const unavailable = new ToolFailure({ status: 503, code: "SERVICE_UNAVAILABLE", detail: RequestDefect.details[503] })

/** Logs a defect and turns it into a failure. Its request id finds the log line. */
export const toFailure = Effect.fnUntraced(function* (defect: unknown) {
  const cause = Cause.die(defect)
  if (DatabaseFailure.isUnavailable(defect)) {
    yield* Effect.logWarning(...Failure.logLine("The database does not answer", cause))
    return unavailable
  }
  yield* Effect.logError("Cannot run a tool", cause)
  const { request_id } = yield* References.CurrentLogAnnotations
  return new ToolFailure({
    status: 500,
    code: "INTERNAL_ERROR",
    detail: RequestDefect.details[500],
    ...(typeof request_id === "string" ? { details: { request_id } } : {})
  })
})
