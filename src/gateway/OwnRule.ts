import { Schema, Struct } from "effect"
import { DestinationRule } from "./DestinationRule.ts"

/** A rule of the owner of a proxy about its destinations. The operator's rules hold too. */
export const OwnRule = Schema.Struct(
  Struct.pick(DestinationRule.fields, ["action", "first_port", "last_port", "network", "host_suffix"])
)
export type OwnRule = typeof OwnRule.Type
