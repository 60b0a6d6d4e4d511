import { Effect, Schema, type SchemaIssue } from "effect"
import type { ApiFailure } from "../platform/errors/ApiError.ts"
import { faultsAt } from "../platform/errors/Faults.ts"
import { Fault } from "../platform/errors/RequestInvalid.ts"

/** Why a tool did not do it: the status and the body that the REST API answers (specification section 7). */
export class ToolFailure extends Schema.Error<ToolFailure>("ToolFailure")({
  status: Schema.Int,
  code: Schema.String,
  /** A sentence, or the faults of the arguments. */
  detail: Schema.Union([Schema.String, Schema.Array(Fault)]),
  details: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
}) {}

export const encode = Schema.encodeEffect(Schema.toCodecJson(ToolFailure))

/** Fewer than of a REST request, which holds one call only. */
const mostFaults = 10

/** The first faults of a call's arguments. */
export const argumentFaults = (issue: SchemaIssue.Issue) => faultsAt("arguments", issue).slice(0, mostFaults)

/** Refuses arguments that do not fit, and names the first of them. */
export const invalidArguments = ({ issue }: Schema.SchemaError): ToolFailure =>
  new ToolFailure({ status: 422, code: "VALIDATION_ERROR", detail: argumentFaults(issue) })

/** Where a tool takes what a request of the REST API has in its body, query, path or headers. */
const inArguments = ({ loc, ...fault }: Fault): Fault => ({ ...fault, loc: ["arguments", ...loc.slice(1)] })

/** Tools have no REST paths: one that a text adds in brackets is left out. */
const withoutPath = (detail: string) => detail.replace(/ \([A-Z]+ \/v1\/[^\s)]+\)/, "")

export const toFailure = ({ code, detail, details, status }: ApiFailure): ToolFailure =>
  new ToolFailure({
    status,
    code,
    detail: typeof detail === "string" ? withoutPath(detail) : detail.map(inArguments),
    ...(details === undefined ? {} : { details })
  })

/** An operation of the service as a tool does it: what goes wrong is told as the REST API tells it. */
export const asTool = <A, E extends ApiFailure, R>(
  operation: Effect.Effect<A, E, R>
): Effect.Effect<A, ToolFailure, R> => Effect.mapError(operation, toFailure)
