import { ApiError } from "../../platform/errors/ApiError.ts"

export class CustomerNotFound extends ApiError<CustomerNotFound>()("CustomerNotFound", {
  status: 404,
  detail: "There is no such customer"
}) {}
