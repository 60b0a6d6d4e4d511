import { type LocalText, money, say } from "../../brand/LocalText.ts"
import type { Notice } from "../../notifications/Notifications.ts"
import type { Payout } from "./Payout.ts"

const notice = ({ user_id }: Pick<Payout, "user_id">, message: LocalText): Notice => ({
  user_id,
  order_id: null,
  kind: "payout",
  message
})

const priceOf = ({ amount, currency }: Pick<Payout, "amount" | "currency">) => money(currency, amount)

/** Goes out at once, so that the owner learns of a request by somebody else. */
export const requested = (payout: Payout): Notice =>
  notice(payout, say("notice.payout_requested", { price: priceOf(payout), destination: payout.destination ?? "" }))

export const sent = (payout: Payout): Notice =>
  notice(payout, say("notice.payout_sent", { price: priceOf(payout), reference: payout.reference ?? "" }))

/** A refund or a dispute of a payment needs the money. */
export const takenBack = (payout: Payout): Notice =>
  notice(payout, say("notice.payout_taken_back", { price: priceOf(payout) }))

export const declined = (payout: Payout): Notice =>
  notice(payout, say("notice.payout_declined", { price: priceOf(payout), why: payout.customer_text ?? "" }))
