import { Schema } from "effect"

const Fields = Schema.NullOr(Schema.Record(Schema.String, Schema.Json))

/** One thing that staff did or were refused, as it is stored. */
export const AuditEvent = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()),
  occurred_at: Schema.DateTimeUtcFromDate,
  actor_kind: Schema.Literals(["staff", "token", "cli", "system"]),
  actor_id: Schema.NullOr(Schema.String),
  staff_id: Schema.NullOr(Schema.String),
  actor_name: Schema.String,
  role: Schema.NullOr(Schema.String),
  action: Schema.String,
  outcome: Schema.Literals(["done", "refused"]),
  subject_kind: Schema.String,
  subject_id: Schema.String,
  user_id: Schema.NullOr(Schema.String),
  request_id: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  before: Fields,
  after: Fields
})
export type AuditEvent = typeof AuditEvent.Type
