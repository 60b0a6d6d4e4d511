import { Schema } from "effect"

/** How far the service's copy of a list is. */
export const BlocklistState = Schema.Struct({
  id: Schema.String,
  /** Rises with every change of the copy; 0 while there is none. */
  generation: Schema.Int,
  networks: Schema.Int,
  sha256: Schema.NullOr(Schema.String),
  /** What the publisher said of the copy, to be asked again with. */
  etag: Schema.NullOr(Schema.String),
  last_modified: Schema.NullOr(Schema.String),
  /** When the publisher last had what the copy holds. */
  synced_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  sync_at: Schema.DateTimeUtcFromDate,
  /** In a row, with the reason of the last one. */
  failures: Schema.Int,
  failure: Schema.NullOr(Schema.String)
})
export type BlocklistState = typeof BlocklistState.Type
