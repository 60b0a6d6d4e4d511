import { Schema } from "effect"
import { LimitName } from "../../wallet/adjustments/StaffLimit.ts"
import * as MoneyText from "./MoneyText.ts"

const amount = (description: string) =>
  Schema.NullOr(MoneyText.Amount).annotate({ description: `${description}; null: without a limit` })

/** The amounts of a limit, as decimal text. */
export const limitAmounts = {
  per_action: amount("The most of one action; all refunds of an order are one"),
  per_customer_30d: amount("The most for one customer in 30 days"),
  per_staff_day: amount("The most of one person since midnight UTC")
}

export const LimitView = Schema.Struct({
  ...LimitName.fields,
  is_alone: Schema.Boolean.annotate({ description: "False: a second person must always agree" }),
  ...limitAmounts
}).annotate({ identifier: "StaffLimit" })
export type LimitView = typeof LimitView.Type
