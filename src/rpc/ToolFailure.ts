import { Effect, Schema, type SchemaIssue } from "effect"
import type { ApiFailure } from "../platform/errors/ApiError.ts"
import { faultsAt } from "../platform/errors/Faults.ts"
import { Fault } from "../platform/errors/RequestInvalid.ts"

/** The failure of a tool: status and body as in the REST API (docs/contract.md, "Errors"). */
export class ToolFailure extends Schema.Error<ToolFailure>("ToolFailure")({
  status: Schema.Int,
  code: Schema.String,
  /** A sentence, or the list of faults in the arguments. */
  detail: Schema.Union([Schema.String, Schema.Array(Fault)]),
  details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
}) {}

export const encode = Schema.encodeEffect(Schema.toCodecJson(ToolFailure))

/** Fewer faults than for a REST request, because a request here can hold many calls. */
const mostFaults = 10

/** The first faults in the arguments of a call. */
export const argumentFaults = (issue: SchemaIssue.Issue) => faultsAt("arguments", issue).slice(0, mostFaults)

/** The failure for invalid arguments. It names the first faults. */
export const invalidArguments = ({ issue }: Schema.SchemaError): ToolFailure =>
  new ToolFailure({ status: 422, code: "VALIDATION_ERROR", detail: argumentFaults(issue) })

/** Names a fault by its argument: a tool takes body, query, path and headers of the REST API as arguments. */
const inArguments = ({ loc, ...fault }: Fault): Fault => ({ ...fault, loc: ["arguments", ...loc.slice(1)] })

/** Removes a REST path in brackets from a text, because tools have no paths. */
const withoutPath = (detail: string) => detail.replace(/ \([A-Z]+ \/v1\/[^\s)]+\)/, "")

export const toFailure = ({ code, detail, details, status }: ApiFailure): ToolFailure =>
  new ToolFailure({
    status,
    code,
    detail: typeof detail === "string" ? withoutPath(detail) : detail.map(inArguments),
    ...(details === undefined ? {} : { details })
  })

/** Runs an operation of the service for a tool. Its errors become failures with the words of the REST API. */
export const asTool = <A, E extends ApiFailure, R>(
  operation: Effect.Effect<A, E, R>
): Effect.Effect<A, ToolFailure, R> => Effect.mapError(operation, toFailure)
