import { Option, Schema } from "effect"
import * as Money from "../../platform/Money.ts"
import type { TransactionFilter } from "../../wallet/TransactionFilter.ts"
import { TransactionType } from "../../wallet/WalletTransaction.ts"

const currencyIn = Schema.decodeUnknownOption(Money.Currency)
const typeIn = Schema.decodeUnknownOption(TransactionType)

/** Reads the filter of a query. Without a valid choice: dollars, and all types. */
export const filterIn = (query: URLSearchParams): TransactionFilter => ({
  currency: Option.getOrElse(currencyIn(query.get("currency")), () => "USD" as const),
  transaction_type: Option.getOrUndefined(typeIn(query.get("transaction_type")))
})

/** Writes a filter as a query, with the offset of a part of the list. */
export const queryOf = ({ currency, transaction_type }: TransactionFilter, offset = 0): string =>
  new URLSearchParams({
    currency,
    ...(transaction_type !== undefined && { transaction_type }),
    ...(offset > 0 && { offset: String(offset) })
  }).toString()
