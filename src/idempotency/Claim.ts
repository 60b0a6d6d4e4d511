import { Schema } from "effect"
import type { StatementPart } from "../platform/postgres/Atomically.ts"

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

/** The parts of one statement that claims keys of several accounts. Each part has the column `user_id`. */
export interface ClaimingParts {
  /** The part `wanted`: the keys to claim. */
  readonly wanted: StatementPart
  /** The part `earlier`: the existing claims of these keys. */
  readonly earlier: StatementPart
  /**
   * The part `claimed`: claims each key `k` of `wanted` when `when` holds. It waits for another claim of the key that is
   * not committed yet.
   */
  readonly claimed: (when: StatementPart) => StatementPart
}
