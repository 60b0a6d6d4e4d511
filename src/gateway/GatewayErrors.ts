import { ApiError } from "../platform/ApiError.ts"

export class GatewayProxyNotFound extends ApiError<GatewayProxyNotFound>()("GatewayProxyNotFound", {
  status: 404,
  detail: "No such proxy"
}) {}

export class GatewayOutOfStock extends ApiError<GatewayOutOfStock>()("GatewayOutOfStock", {
  status: 409,
  detail: "The gateway has no free port or no free exit address for this country"
}) {}
