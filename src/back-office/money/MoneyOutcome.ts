import { moment } from "../../pages/Format.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import { amount } from "../desk/Amount.ts"
import type { Adjustment, Refund } from "../desk/MoneyTables.ts"

interface Answered {
  readonly answer: Adjustment | Refund
  readonly replayed: boolean
}

/** A record of money after its form was sent: a notice for what was booked, a warning for what waits for a second person. */
export const moneyOutcome = ({
  answer,
  replayed
}: Answered): { readonly notice?: Content; readonly warning?: Content } => {
  const size = amount(answer.currency, answer.amount)
  const again = replayed && html` ${text("money.replayed")}`
  if (answer.status === "requested")
    return { warning: html`${text("money.now_requested", { amount: size, when: moment(answer.expires_at) })}${again}` }
  if (answer.status !== "booked") return { warning: html`${text("money.not_booked", { amount: size })}${again}` }
  return { notice: html`${text("money.now_booked", { amount: size })}${again}` }
}
