import { Schema } from "effect"
import { Model } from "effect/schema"
import { Text } from "../platform/fields/Text.ts"
import { UserId } from "./User.ts"

export const PasskeyId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("PasskeyId"))
export type PasskeyId = typeof PasskeyId.Type

/** The name by which the owner recognises a passkey. */
export const PasskeyName = Text(1, 60)

const OptionalTime = Model.Field({
  select: Schema.NullOr(Schema.DateTimeUtcFromDate),
  insert: Schema.NullOr(Schema.DateTimeUtcFromDate),
  json: Schema.NullOr(Schema.DateTimeUtcFromString)
})

/** A passkey of an account (Web Authentication, Level 3). The service has only its public key. */
export class Passkey extends Model.Class<Passkey>("Passkey")({
  id: Model.UuidV7Insert(PasskeyId),
  user_id: Model.Sensitive(UserId),
  name: Schema.String,
  /** In base64url. */
  credential_id: Model.Sensitive(Schema.String),
  /** A COSE key (RFC 9052), in base64url. */
  public_key: Model.Sensitive(Schema.String),
  /** The number of signatures that the authenticator reported last; 0 for one that does not count. */
  sign_count: Model.Sensitive(Schema.BigInt),
  /** True when the owner's devices share it, or a backup of it exists. */
  is_synced: Schema.Boolean,
  created_at: Model.DateTimeInsertFromDate,
  last_used_at: OptionalTime,
  /** The last refusal because the authenticator counted backwards, as a copy does. */
  refused_at: OptionalTime
}) {}
