import { Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../accounts/User.ts"

export const SavedCardId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("SavedCardId"))
export type SavedCardId = typeof SavedCardId.Type

/** A card that a payment gateway keeps. The service has the gateway's ids of it, and enough for its owner to know it. */
export class SavedCard extends Model.Class<SavedCard>("SavedCard")({
  id: Model.UuidV7Insert(SavedCardId),
  user_id: Model.Sensitive(UserId),
  customer_reference: Model.Sensitive(Schema.String),
  card_reference: Model.Sensitive(Schema.String),
  brand: Schema.String.annotate({ examples: ["visa"] }),
  last_digits: Schema.String.annotate({ examples: ["4242"] }),
  expiry_month: Schema.Int.annotate({ examples: [4] }),
  expiry_year: Schema.Int.annotate({ examples: [2030] }),
  created_at: Model.DateTimeInsertFromDate
}) {}
