import { Option, Schema } from "effect"
import * as AskVendor from "./AskVendor.ts"

/** An error of Stripe's library. An error answer has a status; a failed connection has its cause in `detail`. */
const StripeError = Schema.Struct({
  message: Schema.String,
  statusCode: Schema.optional(Schema.Int),
  detail: Schema.optional(Schema.Unknown)
})

/** Describes a failed call to Stripe, for the log. */
export const reasonOf = (error: unknown): string => {
  const { detail, message, statusCode } = Option.getOrElse(
    Schema.decodeUnknownOption(StripeError)(error),
    (): typeof StripeError.Type => ({ message: "unknown" })
  )
  if (statusCode === undefined) return `could not be reached: ${AskVendor.connectionFailure(detail) ?? message}`
  if (AskVendor.isAccessRefused(statusCode)) return AskVendor.accessRefused(statusCode, "STRIPE_SECRET_KEY")
  return `answered HTTP ${statusCode}: ${message}`
}
