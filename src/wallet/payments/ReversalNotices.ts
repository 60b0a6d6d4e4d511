import type { Notice } from "../../notifications/Notifications.ts"
import * as Money from "../../platform/Money.ts"
import type { PaymentReversal } from "./PaymentReversal.ts"

type Told = Pick<PaymentReversal, "user_id" | "currency" | "kind">

/** Tells an account what became of its payment, and whether it may buy. */
type Tell = (isStopped: boolean) => Notice

const stopped =
  "You cannot buy, extend or renew anything for now; your proxies go on until they expire. Please contact support"

const telling =
  ({ user_id }: Told, kind: Notice["kind"], ...sentences: ReadonlyArray<string>) =>
  (...others: ReadonlyArray<string>): Notice => ({
    user_id,
    order_id: null,
    kind,
    message: [...sentences, ...others].join(". ")
  })

const money = ({ currency }: Told, amount: bigint) => `${Money.toDecimal(currency, amount)} ${currency}`

const withStop =
  (tell: ReturnType<typeof telling>): Tell =>
  (isStopped) =>
    isStopped ? tell(stopped) : tell()

/** No money is taken yet. */
export const announced = (told: Told): Tell =>
  withStop(telling(told, "payment_reversed", `A ${told.kind} of your payment was announced by the payment gateway`))

/** The gateway took `amount` back, and the wallet had `debited` of it. */
export const taken = (told: Told & Pick<PaymentReversal, "amount" | "debited">): Tell => {
  const why = told.kind === "refund" ? "were refunded to you" : "were taken back, since the payment is disputed"
  return withStop(
    telling(
      told,
      "payment_reversed",
      `${money(told, told.amount)} of your payment ${why}`,
      `Your wallet was debited by ${money(told, told.debited)}`
    )
  )
}

/** The refund failed, or the dispute was won. */
export const returned =
  (told: Told & { readonly given_back: bigint }): Tell =>
  (isStopped) => {
    const end = told.kind === "refund" ? "The refund of your payment failed" : "The dispute of your payment is over"
    const back = told.given_back > 0n ? [`${money(told, told.given_back)} are back in your wallet`] : []
    return telling(told, "payment_returned", end, ...back)(isStopped ? stopped : "You can buy again")
  }
