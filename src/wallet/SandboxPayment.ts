import { Schema } from "effect"
import { PaymentIntent } from "./PaymentIntent.ts"

export const SandboxDecision = Schema.Literals(["paid", "declined"])
export type SandboxDecision = typeof SandboxDecision.Type

/**
 * A pretended payment as the sandbox keeps it: what it was asked for, its signing secret, how the customer decided
 * and whether money was credited for it.
 */
export const SandboxPayment = Schema.Struct({
  ...PaymentIntent.fields,
  secret: Schema.String,
  outcome: Schema.NullOr(SandboxDecision),
  is_charged: Schema.Boolean
})
export type SandboxPayment = typeof SandboxPayment.Type
