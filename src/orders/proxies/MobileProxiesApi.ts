import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope, SessionAuthentication } from "../../accounts/Authentication.ts"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Text } from "../../platform/fields/Text.ts"
import { MobileSnapshotView } from "./MobileSnapshotView.ts"
import { OrderId } from "../Order.ts"
import {
  OperationUnsupported,
  ProviderDown,
  ProviderSaidNo,
  ProxyBusy,
  ProxyNotLive,
  ProxyStopped,
  WrongProxyKind
} from "./ProxyErrors.ts"
import { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"

const params = { order_id: OrderId }

const notChanged = [
  OrderNotFound,
  OrderNotYours,
  WrongProxyKind,
  ProxyNotLive,
  ProxyStopped,
  ProxyBusy,
  ProviderDown,
  OperationUnsupported,
  ProviderSaidNo
] as const

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const reset = HttpApiEndpoint.post("reset", "/:order_id/reset", {
  params,
  success: MobileSnapshotView,
  error: [...notChanged, RateLimited]
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Rotate the address",
      "Gives the proxy another exit address immediately. Host, port and credentials stay the same. Free. A second reset within 5 seconds answers `429` with `Retry-After`."
    )
  )

const signature = HttpApiEndpoint.post("signature", "/:order_id/signature", {
  params,
  payload: Schema.Struct({ signature: Text(1, 64).annotate({ examples: ["android"] }) }),
  success: MobileSnapshotView,
  error: [...notChanged, RequestInvalid]
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Change the device signature",
      "Changes the kind of device that destinations see. A signature that the provider does not offer answers `422` with the list of offered signatures."
    )
  )

const signatures = HttpApiEndpoint.get("signatures", "/mobile-signatures", {
  success: Schema.Array(Schema.String).annotate({ examples: [["android", "ios", "linux", "windows"]] })
})
  .middleware(SessionAuthentication)
  .annotateMerge(described("List device signatures", "Lists the signatures of all providers. Needs a session."))

/** The operations that only mobile rotating proxies have (docs/contract.md, "Mobile rotating proxies"). */
export class MobileProxiesApi extends HttpApiGroup.make("mobile-proxies")
  .add(reset, signature)
  .middleware(Authentication)
  .add(signatures)
  .prefix("/orders")
  .annotateMerge(
    OpenApi.annotations({
      title: "Mobile proxies",
      description: "Exit addresses and device signatures of mobile rotating proxies"
    })
  ) {}
