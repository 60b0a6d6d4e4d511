import { Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../accounts/User.ts"
import { Currency } from "../platform/Money.ts"
import { PaymentMethod } from "./PaymentMethod.ts"
import { SavedCardId } from "./SavedCard.ts"
import { WalletTransactionId } from "./WalletTransaction.ts"

export const PaymentIntentId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("PaymentIntentId"))
export type PaymentIntentId = typeof PaymentIntentId.Type

/**
 * A payment that the service expects from outside. `transaction_id` is the pending ledger entry that it completes.
 * `payment_url` and `external_reference` are null until the gateway has answered.
 */
export class PaymentIntent extends Model.Class<PaymentIntent>("PaymentIntent")({
  id: Model.UuidV7Insert(PaymentIntentId),
  user_id: UserId,
  /** With `order`, the money pays for the waiting orders as soon as it arrives. */
  purpose: Schema.Literals(["deposit", "order"]),
  payment_method: PaymentMethod,
  currency: Currency,
  amount: Schema.BigInt,
  status: Schema.Literals(["pending", "paid", "failed", "expired"]),
  transaction_id: WalletTransactionId,
  /** The saved card that an automatic top-up charges; null when the customer pays on the page of the gateway. */
  card_id: Schema.NullOr(SavedCardId),
  external_reference: Schema.NullOr(Schema.String),
  payment_url: Schema.NullOr(Schema.String),
  expires_at: Schema.DateTimeUtcFromDate,
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}
