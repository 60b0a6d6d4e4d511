import { DateTime, Schema } from "effect"
import { Preset, ReasonCode, type Restriction, RestrictionId, Source } from "../../accounts/restrictions/Restriction.ts"
import { UserId } from "../../accounts/User.ts"
import * as Money from "../../platform/Money.ts"
import { maskedEmail } from "../MaskedEmail.ts"
import { Customer, type FoundCustomer, MatchedBy, type WholeCustomer } from "./Customer.ts"

const Time = Schema.DateTimeUtcFromString
const Email = Schema.NullOr(Schema.String).annotate({
  description: "Masked for staff who may not identify customers",
  examples: ["ada@example.com"]
})
const Amount = Schema.String.annotate({ description: "A decimal string", examples: ["12.50"] })

/** A restriction of a customer, for staff. */
export const RestrictionView = Schema.Struct({
  id: RestrictionId,
  customer_id: UserId,
  preset: Preset,
  reason_code: ReasonCode,
  internal_reason: Schema.String.annotate({ description: "For staff only" }),
  public_reason: Schema.String.annotate({ description: "The customer reads it" }),
  until_at: Schema.NullOr(Time).annotate({ description: "The time of its end; null: until it is lifted" }),
  source: Source,
  placed_by: Schema.String,
  placed_at: Time,
  lifted_at: Schema.NullOr(Time),
  lifted_by: Schema.NullOr(Schema.String),
  lift_reason: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Restriction" })

export const restrictionView = ({ user_id, ...restriction }: Restriction): typeof RestrictionView.Type => ({
  ...restriction,
  customer_id: user_id
})

export const FoundCustomerView = Schema.Struct({
  id: UserId,
  email: Email,
  name: Schema.NullOr(Schema.String),
  restriction: Schema.NullOr(Preset).annotate({ description: "The open restriction that blocks most" }),
  matched_by: MatchedBy.annotate({ description: "The record that the query names" }),
  created_at: Time,
  deleted_at: Schema.NullOr(Time)
}).annotate({ identifier: "FoundCustomer" })

const {
  access_blocked,
  service_blocked,
  created_at: _created,
  deleted_at: _deleted,
  email: _email,
  ...fields
} = Customer.fields

export const CustomerView = Schema.Struct({
  ...fields,
  email: Email,
  access_blocked: access_blocked.annotate({ description: "True while the person is shut out" }),
  service_blocked: service_blocked.annotate({ description: "True while the proxies are stopped" }),
  created_at: Time,
  deleted_at: Schema.NullOr(Time),
  wallets: Schema.Array(
    Schema.Struct({
      currency: Money.Currency,
      balance: Amount,
      sandbox_balance: Amount.annotate({ description: "The part of `balance` that came from the sandbox" }),
      purchases_stopped: Schema.Boolean.annotate({ description: "True while a payment is refunded or disputed" }),
      spending_blocked: Schema.Boolean.annotate({ description: "True while the account is restricted" })
    })
  ),
  restrictions: Schema.Array(RestrictionView).annotate({
    description: "At most 20: the open ones, then the newest others"
  })
}).annotate({ identifier: "Customer" })

/** Hides a name and most of an address from staff who may not identify customers. */
export const masked = <A extends { readonly email: string | null; readonly name: string | null }>(person: A): A => ({
  ...person,
  name: null,
  email: maskedEmail(person.email)
})

export const foundView = (found: FoundCustomer): typeof FoundCustomerView.Type => found

export const customerView = ({ customer, restrictions, wallets }: WholeCustomer): typeof CustomerView.Type => ({
  ...customer,
  wallets: wallets.map(({ balance, currency, sandbox_balance, ...wallet }) => ({
    ...wallet,
    currency,
    balance: Money.toDecimal(currency, balance),
    sandbox_balance: Money.toDecimal(currency, sandbox_balance)
  })),
  restrictions: restrictions.map(restrictionView)
})

export const timeOrNull = (time: DateTime.Utc | null) => (time === null ? null : DateTime.formatIso(time))
