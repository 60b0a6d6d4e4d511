import { Option, Schema } from "effect"
import * as Vendor from "./Vendor.ts"

/** An error of Stripe's library: an answer has a status, a connection that failed the fault as its detail. */
const StripeError = Schema.Struct({
  message: Schema.String,
  statusCode: Schema.optional(Schema.Int),
  detail: Schema.optional(Schema.Unknown)
})

/** Why a call to Stripe failed, for the log. */
export const reasonOf = (error: unknown): string => {
  const { detail, message, statusCode } = Option.getOrElse(
    Schema.decodeUnknownOption(StripeError)(error),
    (): typeof StripeError.Type => ({ message: "unknown" })
  )
  if (statusCode === undefined) return `could not be reached: ${Vendor.connectionFault(detail) ?? message}`
  if (Vendor.isAccessRefused(statusCode)) return Vendor.accessRefused(statusCode, "STRIPE_SECRET_KEY")
  return `answered HTTP ${statusCode}: ${message}`
}
