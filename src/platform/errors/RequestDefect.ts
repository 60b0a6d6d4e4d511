import { Cause, Effect } from "effect"
import { HttpServerError } from "effect/http"
import * as DatabaseFailure from "../postgres/DatabaseFailure.ts"
import * as Failure from "./Failure.ts"

/** What a request is answered with that ended in a defect. */
export type Status = 413 | 500 | 503

const isUnreadableBody = (defect: unknown) =>
  HttpServerError.isHttpServerError(defect) && defect.reason._tag === "RequestParseError"

/**
 * A defect is the server's fault (500), unless it is a body that could not be read (413) or a database that is away
 * (503). What is not the caller's doing is logged.
 */
export const statusOf = (defect: unknown): Effect.Effect<Status> => {
  if (isUnreadableBody(defect)) return Effect.succeed(413)
  const cause = Cause.die(defect)
  return DatabaseFailure.isUnavailable(defect)
    ? Effect.as(Effect.logWarning(...Failure.told("The database does not answer", cause)), 503)
    : Effect.as(Effect.logError("Request failed", cause), 500)
}
