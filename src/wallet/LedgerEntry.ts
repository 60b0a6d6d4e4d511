import type { UserId } from "../accounts/User.ts"
import type { Currency } from "../platform/Money.ts"
import type { TransactionType, WalletTransactionId } from "./WalletTransaction.ts"

/** What is to be booked: on a wallet, completed, together with its neighbours of the same booking. */
interface LedgerEntry {
  readonly id: WalletTransactionId
  readonly transaction_type: typeof TransactionType.Type
  /** Signed: positive for credits. */
  readonly amount: bigint
  /** What a payment costs in micro-dollars, for the daily limit of the key that makes it. */
  readonly amount_usd: bigint | null
  readonly payment_method: string
  readonly external_id: string | null
  readonly description: string
  readonly order_id: string | null
  readonly reference: string
  readonly refunded_transaction_id: WalletTransactionId | null
  readonly api_key_id: string | null
}

export interface Booking {
  readonly user_id: UserId
  readonly currency: Currency
  readonly entries: ReadonlyArray<LedgerEntry>
  /** The change of the wallet's sandbox money by the one entry; absent when the entries are payments. */
  readonly sandbox?: bigint
}

export const total = (entries: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  entries.reduce((sum, { amount }) => sum + amount, 0n)
