import { Schema } from "effect"
import { Model } from "effect/schema"
import { Text } from "../platform/fields/Text.ts"

export const UserId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** What a person calls themselves. */
export const Name = Text(1, 100).annotate({ examples: ["Ada"] })

/** A person or a program with an account. Agents may hold one without an email. */
export class User extends Model.Class<User>("User")({
  id: Model.UuidV7Insert(UserId),
  email: Schema.NullOr(Schema.String).annotate({ examples: ["ada@example.com"] }),
  name: Schema.NullOr(Schema.String).annotate({ examples: ["Ada"] }),
  email_verified: Schema.Boolean,
  is_anonymous: Schema.Boolean,
  referral_code: Schema.String.annotate({ examples: ["K7QX2M9P"] }),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}

/** The account as it is answered. */
export const UserView = User.json.annotate({ identifier: "User" })
