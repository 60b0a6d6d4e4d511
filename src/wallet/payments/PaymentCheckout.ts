import { DateTime } from "effect"
import type { PaymentEvent } from "../gateways/PaymentGateway.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"
import type { PaymentMethod } from "../PaymentMethod.ts"

export type Checkout = Extract<PaymentEvent, { _tag: "Checkout" }>

/** The message to the customer when a payment must stop; null when it may continue. */
export const refusalOf = (
  intent: PaymentIntent | undefined,
  method: PaymentMethod,
  { amount, currency }: Checkout,
  now: DateTime.Utc
): string | null => {
  if (intent === undefined || intent.payment_method !== method) return "This payment is unknown."
  if (intent.status === "paid") return "This payment is already paid."
  if (intent.status !== "pending" || DateTime.isGreaterThanOrEqualTo(now, intent.expires_at))
    return "This payment has expired or was cancelled. Please start again."
  if (intent.currency !== currency || intent.amount !== amount) return "The amount has changed. Please start again."
  return null
}
