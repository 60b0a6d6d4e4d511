import type { UserId } from "../accounts/User.ts"
import type { Currency } from "../platform/Money.ts"
import type { IfLocked } from "../platform/postgres/IfLocked.ts"
import type { StatementPart } from "../platform/postgres/Atomically.ts"
import type { EntryCause } from "./EntryCause.ts"
import type { TransactionType, WalletTransactionId } from "./WalletTransaction.ts"

/** A completed entry that is about to be booked on a wallet, together with the other entries of its booking. */
interface LedgerEntry {
  readonly id: WalletTransactionId
  readonly transaction_type: typeof TransactionType.Type
  /** Signed: positive for credits. */
  readonly amount: bigint
  /** The cost of a payment in micro-dollars, which counts toward the daily limit of its API key or app. */
  readonly amount_usd: bigint | null
  readonly payment_method: string
  readonly external_id: string | null
  readonly description: string
  readonly order_id: string | null
  readonly reference: string
  readonly refunded_transaction_id: WalletTransactionId | null
  readonly api_key_id: string | null
  readonly grant_id: string | null
  /** Absent: the entry means what its type says. */
  readonly cause?: EntryCause
}

export interface Booking {
  readonly user_id: UserId
  readonly currency: Currency
  readonly entries: ReadonlyArray<LedgerEntry>
  /** The change of the wallet's sandbox money by the only entry; absent when the entries are payments. */
  readonly sandbox?: bigint
}

/** The parts of one statement that change the balances of several accounts and write the entries. */
export interface BookingParts {
  /** The part `booking`: a row for each booking. */
  readonly bookings: StatementPart
  /**
   * The part `payer`, with a `user_id` for each wallet that can pay. Locks each wallet for which `when` holds for its
   * booking `b`, until the transaction ends.
   */
  readonly locking: (when: StatementPart, ifLocked: IfLocked) => StatementPart
  /**
   * The parts `charged` and `booked`: the changed balances and the entries, for each booking `b` in `from` whose wallet can
   * pay. `charged` has its `user_id`.
   */
  readonly booking: (from: StatementPart) => StatementPart
}

export const total = (entries: ReadonlyArray<{ readonly amount: bigint }>): bigint =>
  entries.reduce((sum, { amount }) => sum + amount, 0n)
