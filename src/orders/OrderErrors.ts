import { Schema } from "effect"
import { ApiError } from "../platform/ApiError.ts"

export class OrderNotFound extends ApiError<OrderNotFound>()("OrderNotFound", {
  status: 404,
  detail: "There is no such order"
}) {}

export class OrderNotYours extends ApiError<OrderNotYours>()("OrderNotYours", {
  status: 403,
  detail: "This order belongs to another account"
}) {}

/** The order asks for something that the offer is not. */
export class OfferMismatch extends ApiError<OfferMismatch>()("OfferMismatch", {
  status: 400,
  detail: "The order asks for something that the offer does not have",
  example: "country: this offer is US; leave the field out or choose another"
}) {}

export class OfferOutOfStock extends ApiError<OfferOutOfStock>()(
  "OfferOutOfStock",
  { status: 409, detail: "The offer is out of stock; see is_available in the catalog" },
  { reason: Schema.tag("out_of_stock") }
) {}

export class OrderNotWaiting extends ApiError<OrderNotWaiting>()("OrderNotWaiting", {
  status: 400,
  detail: "Only an order that waits for its payment can be cancelled"
}) {}

export class TrafficUnavailable extends ApiError<TrafficUnavailable>()("TrafficUnavailable", {
  status: 503,
  detail: "The provider does not answer for this proxy's traffic right now; try again in a moment"
}) {}

export class ProxyBusy extends ApiError<ProxyBusy>()(
  "ProxyBusy",
  { status: 409, detail: "Another operation on this proxy is still running; try again in a moment" },
  { reason: Schema.tag("operation_in_progress") }
) {}

/** The operation is one of mobile proxies, or one of static ones. */
export class WrongProxyKind extends ApiError<WrongProxyKind>()("WrongProxyKind", {
  status: 400,
  detail: "This operation is not for this kind of proxy",
  example: "This operation is for mobile rotating proxies; this one is static"
}) {}

export class ProxyNotLive extends ApiError<ProxyNotLive>()("ProxyNotLive", {
  status: 400,
  detail: "This order has no live proxy: it is not provisioned yet, or it has ended"
}) {}

/** What this order's provider cannot do at all. */
export class OperationUnsupported extends ApiError<OperationUnsupported>()("OperationUnsupported", {
  status: 400,
  detail: "The provider of this proxy does not offer this operation"
}) {}

/** The provider understood and said no: nothing was changed, nothing is charged. */
export class ProviderSaidNo extends ApiError<ProviderSaidNo>()(
  "ProviderSaidNo",
  { status: 409, detail: "The provider refused; nothing was changed and nothing was charged" },
  { reason: Schema.tag("provider_refused") }
) {}

export class ProviderDown extends ApiError<ProviderDown>()("ProviderDown", {
  status: 503,
  detail: "The provider of this proxy does not answer; nothing was changed, try again in a moment"
}) {}
