import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import * as Money from "../../platform/Money.ts"
import { PaymentIntentId } from "../PaymentIntent.ts"
import { currencyOf, PaymentMethod } from "../PaymentMethod.ts"
import { TransactionStatus, WalletTransactionId } from "../WalletTransaction.ts"

/** A ledger entry of type deposit, with the payment that completes it. It has the id and the status of the entry. */
export const Deposit = Schema.Struct({
  id: WalletTransactionId,
  user_id: UserId,
  status: TransactionStatus,
  amount: Schema.BigInt,
  currency: Money.Currency,
  payment_method: PaymentMethod,
  payment_intent_id: PaymentIntentId,
  payment_url: Schema.NullOr(Schema.String),
  created_at: Schema.DateTimeUtcFromDate
})
export type Deposit = typeof Deposit.Type

/** The amounts that can be deposited, in the unit of the currency. `rule` describes them. */
export const limits = {
  USD: {
    minimum: 1_000_000n,
    maximum: 10_000_000_000n,
    step: 10_000n,
    rule: "1 to 10000 USD with at most two decimals"
  },
  STAR: { minimum: 1n, maximum: 1_000_000n, step: 1n, rule: "1 to 1000000 whole stars" }
}

/** Reads a client's amount, which is a JSON number or a decimal string; undefined when it cannot be deposited. */
export const parseAmount = (currency: Money.Currency, amount: number | string): bigint | undefined => {
  const { maximum, minimum, step } = limits[currency]
  const parsed = Money.fromDecimal(currency, String(amount))
  return parsed !== undefined && parsed >= minimum && parsed <= maximum && parsed % step === 0n ? parsed : undefined
}

/** The faults of a deposit request, by field. */
export const faults = (request: {
  readonly amount: number | string
  readonly currency: Money.Currency
  readonly payment_method: PaymentMethod
  readonly save_card?: boolean
}) => {
  const { amount, currency, payment_method, save_card = false } = request
  const amountFault = { path: ["amount"], issue: `Expected ${limits[currency].rule}` }
  const methodFault = { path: ["payment_method"], issue: `${payment_method} takes ${currencyOf(payment_method)} only` }
  const cardFault = { path: ["save_card"], issue: "Only card_gateway takes cards" }
  return [
    ...(parseAmount(currency, amount) === undefined ? [amountFault] : []),
    ...(currencyOf(payment_method) === currency ? [] : [methodFault]),
    ...(save_card && payment_method !== "card_gateway" ? [cardFault] : [])
  ]
}
