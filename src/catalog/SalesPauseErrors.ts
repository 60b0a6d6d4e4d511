import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"

export class PauseSubjectNotFound extends ApiError<PauseSubjectNotFound>()("PauseSubjectNotFound", {
  status: 404,
  detail: "There is no such provider, kind, article, offer or payment method"
}) {}

export class SalesPauseNotFound extends ApiError<SalesPauseNotFound>()("SalesPauseNotFound", {
  status: 404,
  detail: "There is no such pause"
}) {}

export class SalesAlreadyPaused extends ApiError<SalesAlreadyPaused>()(
  "SalesAlreadyPaused",
  { status: 409, detail: "This is paused already; lift that pause first, or wait for its end" },
  { reason: Schema.tag("already_paused") }
) {}

export class SalesPauseTooLong extends ApiError<SalesPauseTooLong>()(
  "SalesPauseTooLong",
  { status: 409, detail: "A pause lasts at most 366 days; place another one then" },
  { reason: Schema.tag("pause_too_long") }
) {}

export class SalesPauseLifted extends ApiError<SalesPauseLifted>()(
  "SalesPauseLifted",
  { status: 409, detail: "The pause has ended before" },
  { reason: Schema.tag("already_lifted") }
) {}
