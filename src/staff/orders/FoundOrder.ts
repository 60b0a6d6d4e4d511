import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import * as CustomerRecord from "../customers/CustomerRecord.ts"
import { orderView } from "../customers/CustomerRecordView.ts"

const owner = { user_id: UserId, email: Schema.NullOr(Schema.String) }

/** An order in a list, with its customer, as it is stored. */
export const FoundOrder = Schema.Struct({ ...CustomerRecord.stored.order.fields, ...owner })
export type FoundOrder = typeof FoundOrder.Type

export const FoundOrderView = Schema.Struct({ ...CustomerRecord.shown.order.fields, ...owner }).annotate({
  identifier: "FoundOrder"
})

export const foundOrderView = ({ email, user_id, ...order }: FoundOrder): typeof FoundOrderView.Type => ({
  ...orderView(order),
  email,
  user_id
})
