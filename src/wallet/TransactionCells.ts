import { DateTime } from "effect"
import { plainCell } from "../platform/fields/PlainCell.ts"
import * as Money from "../platform/Money.ts"
import type { WalletTransaction } from "./WalletTransaction.ts"

/** The columns of ledger entries in CSV: the fields of the API, and the order. */
export const transactionColumns = [
  "created_at",
  "transaction_type",
  "status",
  "amount",
  "currency",
  "description",
  "payment_method",
  "external_id",
  "order_id",
  "id",
  "wallet_id",
  "updated_at"
] as const

/** The cells of a ledger entry in CSV. The amount has all decimals of its currency. */
export const transactionCells = (
  entry: WalletTransaction
): Readonly<Record<(typeof transactionColumns)[number], string>> => ({
  created_at: DateTime.formatIso(entry.created_at),
  transaction_type: entry.transaction_type,
  status: entry.status,
  amount: Money.toDecimal(entry.currency, entry.amount),
  currency: entry.currency,
  description: plainCell(entry.description),
  payment_method: entry.payment_method ?? "",
  external_id: plainCell(entry.external_id ?? ""),
  order_id: entry.order_id ?? "",
  id: entry.id,
  wallet_id: entry.wallet_id,
  updated_at: DateTime.formatIso(entry.updated_at)
})
