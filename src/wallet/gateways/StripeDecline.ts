import { Schema } from "effect"
import type { Decline } from "./PaymentGateway.ts"

const Code = Schema.optional(Schema.NullOr(Schema.String))

/** Stripe's error of a charge (docs.stripe.com/declines). */
export const CardError = Schema.Struct({ code: Code, decline_code: Code, advice_code: Code })
export type CardError = typeof CardError.Type

const authentication = [
  "authentication_required",
  "authentication_not_handled",
  "payment_intent_authentication_failure",
  "mobile_device_authentication_required"
]

/** The bank will not accept this card again (docs.stripe.com/declines/codes). */
const final = [
  "card_not_supported",
  "currency_not_supported",
  "fraudulent",
  "incorrect_number",
  "invalid_account",
  "invalid_number",
  "lost_card",
  "merchant_blacklist",
  "new_account_information_available",
  "no_action_taken",
  "payment_method_unactivated",
  "pickup_card",
  "resource_missing",
  "restricted_card",
  "revocation_of_all_authorizations",
  "revocation_of_authorization",
  "stolen_card",
  "stop_payment_order",
  "transaction_not_allowed"
]

/** The reason of a declined charge. A code that is not listed counts as passing. */
export const declineOf = (error: CardError | null | undefined): Decline => {
  const codes = [error?.decline_code, error?.code]
  const isOne = (known: ReadonlyArray<string>) => codes.some((code) => typeof code === "string" && known.includes(code))
  if (isOne(authentication)) return "authentication_required"
  if (isOne(["expired_card", "invalid_expiry_month", "invalid_expiry_year"])) return "card_expired"
  return isOne(final) || error?.advice_code === "do_not_try_again" ? "card_refused" : "declined"
}
