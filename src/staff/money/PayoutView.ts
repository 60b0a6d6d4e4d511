import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import * as Money from "../../platform/Money.ts"
import { type Payout, PayoutId, PayoutStatus, PayoutStop } from "../../wallet/payouts/Payout.ts"
import * as MoneyText from "./MoneyText.ts"

const time = Schema.DateTimeUtcFromString
const maybe = Schema.NullOr(Schema.String)

export const PayoutView = Schema.Struct({
  id: PayoutId,
  user_id: UserId,
  currency: Money.Currency,
  amount: MoneyText.Shown,
  destination: maybe.annotate({
    description:
      "Where the money goes; null after the account was deleted. Only the last four characters without `payout.settle`"
  }),
  status: PayoutStatus.annotate({
    description:
      "`requested` waits for approval, `approved` for the transfer. `declined` and `cancelled` returned to the wallet"
  }),
  stop: Schema.NullOr(PayoutStop).annotate({
    description:
      "The cause that stops an open withdrawal now: a restriction of the customer, or a refund or dispute of a payment"
  }),
  withdrawal_id: Schema.String,
  return_id: maybe,
  reference: maybe.annotate({ description: "The transfer by which the money was sent; masked like `destination`" }),
  customer_text: maybe.annotate({ description: "The reason of a decline that the customer reads" }),
  approved_by: maybe,
  approved_by_name: maybe,
  approved_at: Schema.NullOr(time),
  settled_by: maybe,
  settled_by_name: maybe,
  settled_at: Schema.NullOr(time),
  created_at: time
}).annotate({ identifier: "Payout" })

/** The last four characters of a text. */
const masked = (text: string | null) => (text === null ? null : `***${text.slice(-4)}`)

/** Hides the account of the customer from staff who do not send the money. */
export const maskedPayout = (view: typeof PayoutView.Type): typeof PayoutView.Type => ({
  ...view,
  destination: masked(view.destination),
  reference: masked(view.reference)
})

export const payoutView = ({ amount, ...shown }: Payout): typeof PayoutView.Type => ({
  ...shown,
  amount: Money.toDecimal(shown.currency, amount)
})
