import { Schema } from "effect"
import { PaymentIntent } from "./PaymentIntent.ts"

export const SandboxDecision = Schema.Literals(["paid", "declined"])
export type SandboxDecision = typeof SandboxDecision.Type

/**
 * A simulated payment: the intent, its signing secret, the customer's decision, and `is_charged`, which is true once
 * money was credited for it.
 */
export const SandboxPayment = Schema.Struct({
  ...PaymentIntent.fields,
  secret: Schema.String,
  outcome: Schema.NullOr(SandboxDecision),
  is_charged: Schema.Boolean
})
export type SandboxPayment = typeof SandboxPayment.Type
