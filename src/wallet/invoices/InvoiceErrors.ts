import { ApiError } from "../../platform/errors/ApiError.ts"

export class InvoiceNotFound extends ApiError<InvoiceNotFound>()("InvoiceNotFound", {
  status: 404,
  detail: "There is no such invoice"
}) {}
