import { Schema } from "effect"
import { Currency } from "../platform/Money.ts"
import { WalletTransactionId } from "./WalletTransaction.ts"

/** A payment for an order or a change of it. The amounts are positive; the sandbox parts are parts of them. */
export const ReturnablePayment = Schema.Struct({
  id: WalletTransactionId,
  reference: Schema.String,
  currency: Currency,
  amount: Schema.BigInt,
  sandbox: Schema.BigInt,
  returned: Schema.BigInt,
  returned_sandbox: Schema.BigInt
})
export type ReturnablePayment = typeof ReturnablePayment.Type
