import { Cause, Effect } from "effect"
import { HttpServerError } from "effect/http"
import * as DatabaseFailure from "../postgres/DatabaseFailure.ts"
import * as Failure from "./Failure.ts"

/** Status of the response to a request that ended in a defect. */
export type Status = 413 | 500 | 503

/** Text of the response to a defect, by status. */
export const details = {
  500: "Something went wrong on our side; send the request id to support",
  503: "The database does not answer; try again in a moment"
} as const

const isUnreadableBody = (defect: unknown) =>
  HttpServerError.isHttpServerError(defect) && defect.reason._tag === "RequestParseError"

/**
 * Chooses the status for a defect: 413 for a body that cannot be read, 503 for an unavailable database, else 500. Logs
 * the last two, because the client did not cause them.
 */
export const statusOf = (defect: unknown): Effect.Effect<Status> => {
  if (isUnreadableBody(defect)) return Effect.succeed(413)
  const cause = Cause.die(defect)
  return DatabaseFailure.isUnavailable(defect)
    ? Effect.as(Effect.logWarning(...Failure.logLine("The database does not answer", cause)), 503)
    : Effect.as(Effect.logError("Request failed", cause), 500)
}
