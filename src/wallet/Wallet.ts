import { Schema } from "effect"
import { Model } from "effect/schema"
import { UserId } from "../accounts/User.ts"
import { Currency } from "../platform/Money.ts"

export const WalletId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("WalletId"))
export type WalletId = typeof WalletId.Type

/** The money of an account in one currency: the sum of its completed ledger entries, which is never below zero. */
export class Wallet extends Model.Class<Wallet>("Wallet")({
  id: Model.UuidV7Insert(WalletId),
  user_id: UserId,
  currency: Currency,
  balance: Schema.BigInt,
  created_at: Model.DateTimeInsertFromDate,
  updated_at: Model.DateTimeUpdateFromDate
}) {}
