import { Schema } from "effect"

/** The reasons why the gateway refuses a connection. `Refusal` has the text of each. */
const reasons = [
  "bad_request",
  "no_credentials",
  "wrong_credentials",
  "not_whitelisted",
  "wrong_protocol",
  "ended",
  "suspended",
  "traffic_used",
  "too_many_connections",
  "too_fast",
  "too_many_guesses",
  "gateway_full",
  "not_public",
  "blocked_by_operator",
  "blocked_by_owner",
  "port_closed",
  "no_address",
  "name_not_found",
  "unreachable",
  "exit_down",
  "timeout",
  "bad_answer"
] as const

/** The equal refusals of a proxy on one UTC day. Either the client or the destination is known, or neither. */
export const RefusedConnections = Schema.Struct({
  reason: Schema.Literals(reasons),
  /** The address of the refused client. */
  source_ip: Schema.NullOr(Schema.String),
  /** The refused destination, as the client named it. */
  host: Schema.NullOr(Schema.String),
  port: Schema.NullOr(Schema.Int),
  count: Schema.Int,
  first_at: Schema.DateTimeUtcFromDate,
  last_at: Schema.DateTimeUtcFromDate
})
export type RefusedConnections = typeof RefusedConnections.Type
