import { Schema } from "effect"
import { Model } from "effect/schema"
import { LanguageCode } from "../brand/LanguageCode.ts"
import { Text } from "../platform/fields/Text.ts"

export const UserId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("UserId"))
export type UserId = typeof UserId.Type

/** The name of a person. */
export const Name = Text(1, 100).annotate({ examples: ["Ada"] })

/** The account of a person or an agent. An unclaimed agent's account has no email. */
export class User extends Model.Class<User>("User")({
  id: Model.UuidV7Insert(UserId),
  email: Schema.NullOr(Schema.String).annotate({ examples: ["ada@example.com"] }),
  name: Schema.NullOr(Schema.String).annotate({ examples: ["Ada"] }),
  email_verified: Schema.Boolean,
  is_anonymous: Schema.Boolean,
  language: LanguageCode.annotate({
    description: "Language of the mails and notifications to the account (ISO 639-1)",
    examples: ["en"]
  }),
  referral_code: Schema.String.annotate({ examples: ["K7QX2M9P"] }),
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}

/** The wire form of an account. */
export const UserView = User.json.annotate({ identifier: "User" })
