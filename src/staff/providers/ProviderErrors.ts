import { ApiError } from "../../platform/errors/ApiError.ts"

export class ProviderNotFound extends ApiError<ProviderNotFound>()("ProviderNotFound", {
  status: 404,
  detail: "There is no such provider"
}) {}
