import { type LocalText, money, say, sentences } from "../../brand/LocalText.ts"
import type { Notice } from "../../notifications/Notifications.ts"
import type { PaymentReversal } from "./PaymentReversal.ts"

type Reversal = Pick<PaymentReversal, "user_id" | "currency" | "kind">

/** Writes the notice of a reversal; `isStopped` is true when the account cannot buy. */
type MakeNotice = (isStopped: boolean) => Notice

const notice = ({ user_id }: Reversal, kind: Notice["kind"], ...texts: ReadonlyArray<LocalText>): Notice => ({
  user_id,
  order_id: null,
  kind,
  message: sentences(...texts)
})

const stopped = say("notice.stopped")

const suspended = say("notice.suspended")

const reversed =
  (reversal: Reversal, message: LocalText, consequence = stopped): MakeNotice =>
  (isStopped) =>
    notice(reversal, "payment_reversed", message, ...(isStopped ? [consequence] : []))

/** The gateway announced the reversal and took no money yet. */
export const announced = (reversal: Reversal): MakeNotice =>
  reversed(reversal, reversal.kind === "refund" ? say("notice.refund_announced") : say("notice.dispute_announced"))

/**
 * The gateway took `amount` back, and the wallet was debited by `debited`. `suspends` is true when the proxies of the account
 * stop too.
 */
export const taken = (
  reversal: Reversal & Pick<PaymentReversal, "amount" | "debited">,
  suspends: boolean
): MakeNotice => {
  const { amount, currency, debited, kind } = reversal
  const values = { price: money(currency, amount), debited: money(currency, debited) }
  return reversed(
    reversal,
    kind === "refund" ? say("notice.refund_taken", values) : say("notice.dispute_taken", values),
    suspends ? suspended : stopped
  )
}

/** The refund failed, or the dispute was won. */
export const returned =
  (reversal: Reversal & { readonly given_back: bigint }): MakeNotice =>
  (isStopped) => {
    const { currency, given_back, kind } = reversal
    const end = kind === "refund" ? say("notice.refund_over") : say("notice.dispute_over")
    const back = given_back > 0n ? [say("notice.given_back", { price: money(currency, given_back) })] : []
    return notice(reversal, "payment_returned", end, ...back, isStopped ? stopped : say("notice.buy_again"))
  }
