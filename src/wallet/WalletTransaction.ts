import { Effect, Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../accounts/User.ts"
import { Currency } from "../platform/Money.ts"
import * as UuidV7 from "../platform/UuidV7.ts"
import { WalletId } from "./Wallet.ts"

export const WalletTransactionId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WalletTransactionId"))
export type WalletTransactionId = typeof WalletTransactionId.Type

export const newTransactionId = Effect.sync(() => WalletTransactionId.make(UuidV7.make()))

export const TransactionType = Schema.Literals(["deposit", "withdrawal", "payment", "refund"])
export const TransactionStatus = Schema.Literals(["pending", "completed", "failed"])

/**
 * A ledger entry. `amount` is positive for credits and negative for debits. Only completed entries count in the
 * balance. `reference` names the purpose of the entry; each reference is booked once per type.
 */
export class WalletTransaction extends Model.Class<WalletTransaction>("WalletTransaction")({
  id: Model.UuidV7Insert(WalletTransactionId),
  user_id: UserId,
  wallet_id: WalletId,
  amount: Schema.BigInt,
  currency: Currency,
  transaction_type: TransactionType,
  status: TransactionStatus,
  payment_method: Schema.NullOr(Schema.String),
  external_id: Schema.NullOr(Schema.String),
  description: Schema.String,
  order_id: Schema.NullOr(Schema.String),
  reference: Schema.String,
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}
