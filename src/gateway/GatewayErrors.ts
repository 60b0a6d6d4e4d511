import { ApiError } from "../platform/errors/ApiError.ts"

export class GatewayProxyNotFound extends ApiError<GatewayProxyNotFound>()("GatewayProxyNotFound", {
  status: 404,
  detail: "No such proxy"
}) {}

export class GatewayProxyEnded extends ApiError<GatewayProxyEnded>()("GatewayProxyEnded", {
  status: 409,
  detail: "The proxy has ended"
}) {}

/** A change that cannot be made to this proxy; `detail` says why. */
export class GatewayChangeRefused extends ApiError<GatewayChangeRefused>()("GatewayChangeRefused", {
  status: 409,
  detail: "The change does not fit the proxy"
}) {}

export class GatewayOutOfStock extends ApiError<GatewayOutOfStock>()("GatewayOutOfStock", {
  status: 409,
  detail: "The gateway has no free port or no free exit address for this country"
}) {}

/** The last try found no free port. One may come in a moment: from a gateway that connects or takes more ports. */
export class GatewayAway extends ApiError<GatewayAway>()("GatewayAway", {
  status: 503,
  detail: "No gateway has a free port yet"
}) {}
