import { Schema } from "effect"
import { RefusedConnections } from "./RefusedConnections.ts"

/** Equal refusals of a proxy on one UTC day, as they are recorded. Times are ISO texts. */
export const RecordedRefusal = Schema.Struct({
  proxy_id: Schema.String.check(Schema.isUUID()),
  day: Schema.String.check(Schema.isPattern(/^\d{4}-\d\d-\d\d$/)),
  reason: RefusedConnections.fields.reason,
  source: Schema.NullOr(Schema.String.check(Schema.isMaxLength(45))),
  host: Schema.NullOr(Schema.String.check(Schema.isMaxLength(253))),
  port: Schema.NullOr(Schema.Int),
  count: Schema.Int.check(Schema.isGreaterThan(0)),
  first_at: Schema.String.check(Schema.isMaxLength(30)),
  last_at: Schema.String.check(Schema.isMaxLength(30))
})
export type RecordedRefusal = typeof RecordedRefusal.Type
