import { Schema } from "effect"

export const Fault = Schema.Struct({
  loc: Schema.Array(Schema.Union([Schema.String, Schema.Int])).annotate({
    description: "The place: `body`, `query`, `path` or `header`, then the field"
  }),
  msg: Schema.String,
  type: Schema.Literals(["missing", "type_error", "value_error", "json_invalid"])
}).annotate({
  examples: [{ loc: ["body", "quantity"], msg: "Expected a value between 1 and 100", type: "value_error" }]
})
export type Fault = typeof Fault.Type

/**
 * A request that does not fit its schema, or has a field that the service cannot accept. Lists all faults of the
 * request.
 */
export class RequestInvalid extends Schema.Error<RequestInvalid>("RequestInvalid")(
  { detail: Schema.Array(Fault), code: Schema.tag("VALIDATION_ERROR") },
  { httpApiStatus: 422, description: "The request is invalid; `detail` lists its faults, at most 100" }
) {
  declare readonly _tag: "RequestInvalid"
  declare readonly status: 422

  /** Refuses one field: `RequestInvalid.at(["body", "quantity"], "Must be at most the stock")` */
  static at(loc: ReadonlyArray<string | number>, msg: string): RequestInvalid {
    return new RequestInvalid({ detail: [{ loc, msg, type: "value_error" }] })
  }
}
Object.defineProperty(RequestInvalid.prototype, "_tag", { value: "RequestInvalid" })
Object.defineProperty(RequestInvalid.prototype, "status", { value: 422 })
