import { Schema } from "effect"

/** The claim of an idempotency key by a request that charged, and its answer as soon as there is one. */
export const Claim = Schema.Struct({
  request_hash: Schema.String,
  /** Identifies what the request bought. */
  reference: Schema.Json,
  answer: Schema.NullOr(Schema.Json),
  /** Until this time, only the process that made the claim works on the request. */
  busy_until: Schema.Date,
  expires_at: Schema.Date
})
export type Claim = typeof Claim.Type
