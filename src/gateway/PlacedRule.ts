import { Schema } from "effect"
import { Text } from "../platform/fields/Text.ts"
import { DestinationRule } from "./DestinationRule.ts"

/** A rule about destinations with its reason, as the operator sees it. */
export const PlacedRule = Schema.Struct({
  ...DestinationRule.fields,
  reason: Text(1, 500),
  /** The person or program that placed it, such as `cli:root`. */
  placed_by: Text(1, 200),
  placed_at: Schema.DateTimeUtcFromDate
})
export type PlacedRule = typeof PlacedRule.Type
