import { ApiError } from "../../platform/errors/ApiError.ts"

export class StaffPaymentNotFound extends ApiError<StaffPaymentNotFound>()("StaffPaymentNotFound", {
  status: 404,
  detail: "There is no such payment"
}) {}

export class CallbackNotFound extends ApiError<CallbackNotFound>()("CallbackNotFound", {
  status: 404,
  detail: "There is no such callback; those without effect are removed after a day"
}) {}
