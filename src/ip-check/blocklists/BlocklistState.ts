import { Schema } from "effect"

/** The state of the service's copy of a list. */
export const BlocklistState = Schema.Struct({
  id: Schema.String,
  /** Rises with every change of the copy. 0: the copy is not loaded. */
  generation: Schema.Int,
  networks: Schema.Int,
  sha256: Schema.NullOr(Schema.String),
  /** The validators of the copy, for the next conditional request. */
  etag: Schema.NullOr(Schema.String),
  last_modified: Schema.NullOr(Schema.String),
  /** The time of the last successful sync. */
  synced_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** The time of the next sync. */
  sync_at: Schema.DateTimeUtcFromDate,
  /** The number of consecutive failures; `failure` is the reason of the last one. */
  failures: Schema.Int,
  failure: Schema.NullOr(Schema.String)
})
export type BlocklistState = typeof BlocklistState.Type
