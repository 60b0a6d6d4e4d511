import { ApiError } from "../../platform/errors/ApiError.ts"

export class StaffOrderNotFound extends ApiError<StaffOrderNotFound>()("StaffOrderNotFound", {
  status: 404,
  detail: "There is no such order"
}) {}
