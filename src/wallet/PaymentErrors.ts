import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"

export class DepositNotFound extends ApiError<DepositNotFound>()("DepositNotFound", {
  status: 404,
  detail: "There is no such deposit"
}) {}

export class DepositOfAnotherUser extends ApiError<DepositOfAnotherUser>()("DepositOfAnotherUser", {
  status: 403,
  detail: "The deposit belongs to another account"
}) {}

export class CallbackRefused extends ApiError<CallbackRefused>()("CallbackRefused", {
  status: 401,
  detail: "The call has no valid signature of the payment gateway; nothing was changed"
}) {}

export class CallbackUnexpected extends ApiError<CallbackUnexpected>()("CallbackUnexpected", {
  status: 404,
  detail: "No payment gateway is configured for this method; nothing was changed"
}) {}

export class CallbackNotChecked extends ApiError<CallbackNotChecked>()("CallbackNotChecked", {
  status: 503,
  detail:
    "The call is signed, but the service could not read it or confirm it with the payment gateway; send it again later"
}) {}

export class CallbackTooLarge extends ApiError<CallbackTooLarge>()("CallbackTooLarge", {
  status: 413,
  detail: "The call is larger than 64 KiB or could not be read"
}) {}

export class PaymentMethodUnavailable extends ApiError<PaymentMethodUnavailable>()("PaymentMethodUnavailable", {
  status: 503,
  detail: "The payment method is unavailable at the moment; nothing was charged. Try again or choose another method"
}) {}

export class CardsNotOffered extends ApiError<CardsNotOffered>()("CardsNotOffered", {
  status: 503,
  detail: "Cards cannot be saved here: no payment gateway that can keep them is configured"
}) {}

export class CardNotFound extends ApiError<CardNotFound>()("CardNotFound", {
  status: 404,
  detail: "Your account has no such card"
}) {}

export class TooManyCards extends ApiError<TooManyCards>()(
  "TooManyCards",
  { status: 409, detail: "The account has the maximum number of saved cards; remove one first" },
  { reason: Schema.tag("too_many_cards"), limit: Schema.Int.annotate({ examples: [5] }) }
) {}

export class AutoTopUpNotSet extends ApiError<AutoTopUpNotSet>()("AutoTopUpNotSet", {
  status: 404,
  detail: "Automatic top-up has never been set for this account"
}) {}

export class PaymentMethodNotOffered extends ApiError<PaymentMethodNotOffered>()(
  "PaymentMethodNotOffered",
  { status: 503, detail: "This payment method is not offered; choose one of details.available" },
  { available: Schema.Array(Schema.String).annotate({ examples: [["wallet", "card_gateway"]] }) }
) {}

export class TooManyUnpaidOrders extends ApiError<TooManyUnpaidOrders>()(
  "TooManyUnpaidOrders",
  {
    status: 409,
    detail:
      "The account has too many unpaid orders and deposits from the last day; pay some of them, pay from the wallet, or try again tomorrow"
  },
  { reason: Schema.tag("too_many_unpaid_orders"), limit: Schema.Int.annotate({ examples: [500] }) }
) {}

export class TooManyOpenPayments extends ApiError<TooManyOpenPayments>()(
  "TooManyOpenPayments",
  {
    status: 409,
    detail:
      "Too many payments of the account are open; try again when one is paid, cancelled or expired. Each expires within 60 minutes"
  },
  { reason: Schema.tag("too_many_open_payments"), limit: Schema.Int.annotate({ examples: [20] }) }
) {}
