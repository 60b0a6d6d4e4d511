import type { Notice } from "../../notifications/Notifications.ts"
import * as Money from "../../platform/Money.ts"
import type { PaymentReversal } from "./PaymentReversal.ts"

type Reversal = Pick<PaymentReversal, "user_id" | "currency" | "kind">

/** Writes the notice of a reversal; `isStopped` is true when the account cannot buy. */
type MakeNotice = (isStopped: boolean) => Notice

/** Writes a notice that ends with more sentences. */
type AddSentences = (...others: ReadonlyArray<string>) => Notice

const stopped =
  "You cannot buy, extend or renew anything for now; your proxies keep working until they expire. Please contact support"

const beginning =
  ({ user_id }: Reversal, kind: Notice["kind"], ...sentences: ReadonlyArray<string>): AddSentences =>
  (...others) => ({
    user_id,
    order_id: null,
    kind,
    message: [...sentences, ...others].join(". ")
  })

const money = ({ currency }: Reversal, amount: bigint) => `${Money.toDecimal(currency, amount)} ${currency}`

const withStop =
  (notice: AddSentences): MakeNotice =>
  (isStopped) =>
    isStopped ? notice(stopped) : notice()

/** The gateway announced the reversal and took no money yet. */
export const announced = (reversal: Reversal): MakeNotice =>
  withStop(beginning(reversal, "payment_reversed", `The payment gateway announced a ${reversal.kind} of your payment`))

/** The gateway took `amount` back, and the wallet was debited by `debited`. */
export const taken = (reversal: Reversal & Pick<PaymentReversal, "amount" | "debited">): MakeNotice => {
  const why = reversal.kind === "refund" ? "were refunded to you" : "were taken back because the payment is disputed"
  return withStop(
    beginning(
      reversal,
      "payment_reversed",
      `${money(reversal, reversal.amount)} of your payment ${why}`,
      `Your wallet was debited by ${money(reversal, reversal.debited)}`
    )
  )
}

/** The refund failed, or the dispute was won. */
export const returned =
  (reversal: Reversal & { readonly given_back: bigint }): MakeNotice =>
  (isStopped) => {
    const end = reversal.kind === "refund" ? "The refund of your payment failed" : "The dispute of your payment is over"
    const back = reversal.given_back > 0n ? [`${money(reversal, reversal.given_back)} are back in your wallet`] : []
    return beginning(reversal, "payment_returned", end, ...back)(isStopped ? stopped : "You can buy again")
  }
