import { Schema } from "effect"
import { UserId } from "../../accounts/User.ts"
import { Text } from "../../platform/fields/Text.ts"
import { WalletTransactionId } from "../WalletTransaction.ts"

export const PayoutId = Schema.String.check(Schema.isUUID()).pipe(Schema.brand("PayoutId"))
export type PayoutId = typeof PayoutId.Type

/**
 * `requested`: the money has left the wallet, and staff look at the request. `approved`: staff send the money by hand. `sent`
 * is final. `declined` by staff and `cancelled` by the customer return the money to the wallet.
 */
export const PayoutStatus = Schema.Literals(["requested", "approved", "sent", "declined", "cancelled"])
export type PayoutStatus = typeof PayoutStatus.Type

/** The bank account, address or other place that gets the money. */
export const Destination = Text(3, 300)
/** The transfer by which staff sent the money, such as the number of the bank or the hash of a transaction. */
export const TransferReference = Text(1, 200)
/** The reason of a decline, for the customer. */
export const DeclineText = Text(3, 200)

const when = Schema.DateTimeUtcFromDate
const maybe = Schema.NullOr(Schema.String)

/** The cause that stops an open request: a restriction of the customer, or a refund or dispute of a payment. */
export const PayoutStop = Schema.Literals(["restriction", "dispute"])

/** Money that a customer wants back from the wallet. */
export const Payout = Schema.Struct({
  id: PayoutId,
  user_id: UserId,
  currency: Schema.Literal("USD"),
  amount: Schema.BigInt,
  /** Null after the account was deleted. */
  destination: maybe,
  status: PayoutStatus,
  stop: Schema.NullOr(PayoutStop),
  withdrawal_id: WalletTransactionId,
  return_id: Schema.NullOr(WalletTransactionId),
  reference: maybe,
  customer_text: maybe,
  approved_by: maybe,
  approved_by_name: maybe,
  approved_at: Schema.NullOr(when),
  settled_by: maybe,
  settled_by_name: maybe,
  settled_at: Schema.NullOr(when),
  created_at: when
})
export type Payout = typeof Payout.Type

export const isOpen = ({ status }: Pick<Payout, "status">) => status === "requested" || status === "approved"

export interface PayoutFilter {
  readonly user_id?: UserId | undefined
  readonly status?: PayoutStatus | undefined
  /** Only requests that staff have to settle. */
  readonly is_open?: true | undefined
  /** Only requests that follow this one in the list. */
  readonly after?: PayoutId | undefined
}
