import type { Currency } from "../platform/Money.ts"
import type { TransactionType } from "./WalletTransaction.ts"

/** Selects ledger entries of an account: those of one wallet, and of one type if `transaction_type` is present. */
export interface TransactionFilter {
  readonly currency: Currency
  readonly transaction_type?: typeof TransactionType.Type | undefined
}
