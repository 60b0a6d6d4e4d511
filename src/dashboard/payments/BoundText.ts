import { money } from "../../pages/Format.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import type { PaymentBound } from "../../wallet/payments/PaymentOutOfBounds.ts"

/** Says which payments a bound allows. */
export const boundText = ({ amount, currency, kind }: PaymentBound): Phrase => {
  const limit = money(currency, amount)
  if (kind === "gateway_least") return text("payment.gateway_least", { limit })
  return kind === "new_card_least"
    ? text("payment.new_card_least", { limit })
    : text("payment.new_daily_most", { limit })
}
