import { ApiError } from "../platform/errors/ApiError.ts"

export class GatewayProxyNotFound extends ApiError<GatewayProxyNotFound>()("GatewayProxyNotFound", {
  status: 404,
  detail: "The proxy does not exist"
}) {}

export class GatewayProxyEnded extends ApiError<GatewayProxyEnded>()("GatewayProxyEnded", {
  status: 409,
  detail: "The proxy has ended"
}) {}

/** The proxy does not support the change; `detail` tells why. */
export class GatewayChangeRefused extends ApiError<GatewayChangeRefused>()("GatewayChangeRefused", {
  status: 409,
  detail: "The proxy does not support the change"
}) {}

export class GatewayOutOfStock extends ApiError<GatewayOutOfStock>()("GatewayOutOfStock", {
  status: 409,
  detail: "The gateway has no free port, or no free exit address for this article"
}) {}

/** No port is free yet. One may become free within moments, when a gateway connects or takes more ports. */
export class GatewayAway extends ApiError<GatewayAway>()("GatewayAway", {
  status: 503,
  detail: "No gateway has a free port yet; try again in a moment"
}) {}
