import { Schema } from "effect"
import { Currency } from "../../platform/Money.ts"
import { MoneyRole } from "./MoneyActor.ts"

/** The actions of staff that are limited. */
const LimitedAction = Schema.Literals(["goodwill", "correction", "refund_wallet", "refund_gateway", "payout"])

/** Names a limit: for an action in a currency, by people of a role. */
export const LimitName = Schema.Struct({ role: MoneyRole, action: LimitedAction, currency: Currency })
export type LimitName = typeof LimitName.Type

/** Amounts that a person moves alone, in micro-dollars or whole stars. Null is without a limit. */
export const LimitAmounts = Schema.Struct({
  per_action: Schema.NullOr(Schema.BigInt),
  per_customer_30d: Schema.NullOr(Schema.BigInt),
  per_staff_day: Schema.NullOr(Schema.BigInt)
})
export type LimitAmounts = typeof LimitAmounts.Type

export const StaffLimit = Schema.Struct({ ...LimitName.fields, ...LimitAmounts.fields })
export type StaffLimit = typeof StaffLimit.Type
