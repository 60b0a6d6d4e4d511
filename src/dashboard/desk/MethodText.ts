import { text } from "../../pages/Html.ts"
import type { PaymentMethod } from "../../wallet/PaymentMethod.ts"

/** The ways to pay from outside, in words. */
export const methodText = {
  crypto_gateway: text("payment.crypto_gateway"),
  card_gateway: text("payment.card_gateway"),
  messenger_stars: text("payment.messenger_stars")
} satisfies Record<PaymentMethod, unknown>
