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
