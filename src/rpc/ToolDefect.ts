import { Cause, Effect, References } from "effect"
import * as DatabaseFailure from "../platform/postgres/DatabaseFailure.ts"
import * as Failure from "../platform/errors/Failure.ts"
import { ToolFailure } from "./ToolFailure.ts"

const unavailable = new ToolFailure({
  status: 503,
  code: "SERVICE_UNAVAILABLE",
  detail: "The database does not answer; try again in a moment"
})

/** Logs a defect and turns it into a failure with the request id, which finds the log line. */
export const told = Effect.fnUntraced(function* (defect: unknown) {
  const cause = Cause.die(defect)
  if (DatabaseFailure.isUnavailable(defect)) {
    yield* Effect.logWarning(...Failure.told("The database does not answer", cause))
    return unavailable
  }
  yield* Effect.logError("Cannot run a tool", cause)
  const { request_id } = yield* References.CurrentLogAnnotations
  return new ToolFailure({
    status: 500,
    code: "INTERNAL_ERROR",
    detail: "Something went wrong on our side; send the request id to support",
    ...(typeof request_id === "string" ? { details: { request_id } } : {})
  })
})
