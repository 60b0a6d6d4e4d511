import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

export class CustomerNotFound extends ApiError<CustomerNotFound>()("CustomerNotFound", {
  status: 404,
  detail: "There is no such customer"
}) {}

export class CustomerHasNoEmail extends ApiError<CustomerHasNoEmail>()(
  "CustomerHasNoEmail",
  { status: 409, detail: "The account of this customer has no email" },
  { reason: Schema.tag("no_email") }
) {}

export class CustomerExportTooLarge extends ApiError<CustomerExportTooLarge>()(
  "CustomerExportTooLarge",
  { status: 409, detail: "The file is larger than 32 MB; use the page of the customer, or the command users export" },
  { reason: Schema.tag("export_too_large") }
) {}
