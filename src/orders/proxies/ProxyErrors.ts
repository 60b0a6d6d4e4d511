import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

export class ProxyBusy extends ApiError<ProxyBusy>()(
  "ProxyBusy",
  { status: 409, detail: "Another operation on this proxy is still running; try again in a moment" },
  { reason: Schema.tag("operation_in_progress") }
) {}

/** The operation is for the other kind of proxy: mobile rotating or static. */
export class WrongProxyKind extends ApiError<WrongProxyKind>()("WrongProxyKind", {
  status: 400,
  detail: "This operation is not for this kind of proxy",
  example: "This operation is for mobile rotating proxies; this one is static"
}) {}

/** The account is suspended: its proxies are stopped, and only the operator starts them again. */
export class ProxyStopped extends ApiError<ProxyStopped>()(
  "ProxyStopped",
  {
    status: 403,
    detail: "The operator has suspended the account, so its proxies cannot be changed; contact the support"
  },
  { reason: Schema.tag("account_suspended") }
) {}

export class ProxyNotLive extends ApiError<ProxyNotLive>()("ProxyNotLive", {
  status: 400,
  detail: "This order has no live proxy: it is not provisioned yet, or it has ended"
}) {}

/** The provider of this order never supports the operation. */
export class OperationUnsupported extends ApiError<OperationUnsupported>()("OperationUnsupported", {
  status: 400,
  detail: "The provider of this proxy does not offer this operation"
}) {}

/** The provider refused: nothing was changed, nothing is charged. */
export class ProviderSaidNo extends ApiError<ProviderSaidNo>()(
  "ProviderSaidNo",
  { status: 409, detail: "The provider refused; nothing was changed and nothing was charged" },
  { reason: Schema.tag("provider_refused") }
) {}

export class ProviderDown extends ApiError<ProviderDown>()("ProviderDown", {
  status: 503,
  detail: "The provider of this proxy does not answer; nothing was changed, try again in a moment"
}) {}
