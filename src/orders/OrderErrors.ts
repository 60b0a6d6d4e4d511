import { ApiError } from "../platform/errors/ApiError.ts"

export class OrderNotFound extends ApiError<OrderNotFound>()("OrderNotFound", {
  status: 404,
  detail: "There is no such order"
}) {}

export class OrderNotYours extends ApiError<OrderNotYours>()("OrderNotYours", {
  status: 403,
  detail: "This order belongs to another account"
}) {}
