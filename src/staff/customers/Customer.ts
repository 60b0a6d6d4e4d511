import { Schema } from "effect"
import { Preset, type Restriction } from "../../accounts/restrictions/Restriction.ts"
import { UserId } from "../../accounts/User.ts"
import { Currency } from "../../platform/Money.ts"

/** The record by which a search found a customer. */
export const MatchedBy = Schema.Literals([
  "id",
  "email",
  "order",
  "transaction",
  "payment",
  "charge",
  "address",
  "restriction"
])

/** A customer in the result of a search. */
export const FoundCustomer = Schema.Struct({
  id: UserId,
  email: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  created_at: Schema.DateTimeUtcFromDate,
  deleted_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  /** The open restriction that blocks most. */
  restriction: Schema.NullOr(Preset),
  matched_by: MatchedBy
})
export type FoundCustomer = typeof FoundCustomer.Type

/** A wallet. Amounts in the currency's unit: micro-dollars or stars. */
export const HeldWallet = Schema.Struct({
  currency: Currency,
  balance: Schema.BigInt,
  sandbox_balance: Schema.BigInt,
  purchases_stopped: Schema.Boolean,
  spending_blocked: Schema.Boolean
})

const counts = {
  orders: Schema.Int,
  live_orders: Schema.Int,
  suspended_proxies: Schema.Int,
  proxies_not_stopped: Schema.Int,
  api_keys: Schema.Int,
  sessions: Schema.Int,
  connections: Schema.Int,
  webhook_endpoints: Schema.Int,
  open_payments: Schema.Int,
  charges: Schema.Int,
  reversals: Schema.Int
}

/** Who a customer is, and how much of everything there is. */
export const Customer = Schema.Struct({
  id: UserId,
  email: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  email_verified: Schema.Boolean,
  is_anonymous: Schema.Boolean,
  has_second_factor: Schema.Boolean,
  language: Schema.String,
  referred_by: Schema.NullOr(UserId),
  access_blocked: Schema.Boolean,
  service_blocked: Schema.Boolean,
  created_at: Schema.DateTimeUtcFromDate,
  deleted_at: Schema.NullOr(Schema.DateTimeUtcFromDate),
  ...counts
})
export type Customer = typeof Customer.Type

/** Everything about one customer. */
export interface WholeCustomer {
  readonly customer: Customer
  readonly wallets: ReadonlyArray<typeof HeldWallet.Type>
  readonly restrictions: ReadonlyArray<Restriction>
}
