import { ApiError } from "../platform/ApiError.ts"

export class DepositNotFound extends ApiError<DepositNotFound>()("DepositNotFound", {
  status: 404,
  detail: "No such deposit"
}) {}

export class DepositOfAnotherUser extends ApiError<DepositOfAnotherUser>()("DepositOfAnotherUser", {
  status: 403,
  detail: "The deposit belongs to another user"
}) {}

export class CallbackRefused extends ApiError<CallbackRefused>()("CallbackRefused", {
  status: 401,
  detail: "The call is not signed by the payment gateway; nothing was changed"
}) {}

export class CallbackTooLarge extends ApiError<CallbackTooLarge>()("CallbackTooLarge", {
  status: 413,
  detail: "The call is larger than 64 KiB or could not be read"
}) {}

export class PaymentMethodUnavailable extends ApiError<PaymentMethodUnavailable>()("PaymentMethodUnavailable", {
  status: 503,
  detail: "The payment method cannot be used at the moment; nothing was charged, try again or choose another"
}) {}
