import { DateTime } from "effect"
import type { PaymentEvent } from "../gateways/PaymentGateway.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"

export type Checkout = Extract<PaymentEvent, { _tag: "Checkout" }>

/** What to tell the customer of a payment that may not go on; null lets it. */
export const refusalOf = (
  intent: PaymentIntent | undefined,
  method: PaymentMethod,
  { amount, currency }: Checkout,
  now: DateTime.Utc
): string | null => {
  if (intent === undefined || intent.payment_method !== method) return "This payment is not known."
  if (intent.status === "paid") return "This has been paid already."
  if (intent.status !== "pending" || DateTime.isGreaterThanOrEqualTo(now, intent.expires_at))
    return "This payment has ended. Please start again."
  if (intent.currency !== currency || intent.amount !== amount) return "The amount has changed. Please start again."
  return null
}
