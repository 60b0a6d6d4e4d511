import { Schema } from "effect"

/** A connection from a shared exit address, as it is recorded. `mac` is hexadecimal, times are ISO texts. */
export const RecordedConnection = Schema.Struct({
  id: Schema.String.check(Schema.isUUID()),
  proxy_id: Schema.String.check(Schema.isUUID()),
  exit_ip: Schema.String.check(Schema.isMaxLength(45)),
  exit_port: Schema.Int,
  opened_at: Schema.String.check(Schema.isMaxLength(30)),
  seen_at: Schema.String.check(Schema.isMaxLength(30)),
  closed: Schema.Boolean,
  destination_port: Schema.Int,
  mac: Schema.String.check(Schema.isPattern(/^[0-9a-f]{32}$/))
})
export type RecordedConnection = typeof RecordedConnection.Type
