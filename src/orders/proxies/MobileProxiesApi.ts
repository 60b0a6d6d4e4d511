import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope, SessionAuthentication } from "../../accounts/Authentication.ts"
import { listOf } from "../../platform/fields/ListOf.ts"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Text } from "../../platform/fields/Text.ts"
import { MobileAccess } from "./MobileAccess.ts"
import { MobileSnapshotView } from "./MobileSnapshotView.ts"
import { OrderId } from "../Order.ts"
import {
  OperationUnsupported,
  ProviderDown,
  ProviderSaidNo,
  ProxyBusy,
  ProxyNotLive,
  WrongProxyKind
} from "./ProxyErrors.ts"
import { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"

const params = { order_id: OrderId }

const notAdmitted = [OrderNotFound, OrderNotYours, WrongProxyKind, ProxyNotLive] as const
const notOperable = [...notAdmitted, ProxyBusy, ProviderDown] as const
const notChanged = [...notOperable, OperationUnsupported, ProviderSaidNo] as const

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

const credentials = HttpApiEndpoint.post("credentials", "/:order_id/credentials", {
  params,
  payload: MobileAccess,
  success: MobileSnapshotView,
  error: notChanged
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Replace credentials",
      "Replaces the allowed source addresses, the logins, or both. A list that you leave out does not change. Each list has at most 20 entries. The snapshot shows the first login."
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

const tags = HttpApiEndpoint.post("tags", "/:order_id/tags", {
  params,
  payload: Schema.Struct({
    tags: listOf(Text(1, 100), { maximum: 50, examples: [["scraper-7", "london"]] })
  }),
  success: MobileSnapshotView,
  error: notAdmitted
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Replace the tags",
      "Replaces your own free-form tags, at most 50. The service does not interpret them. An empty list removes all tags. While the provider does not answer, the snapshot shows the last known state of the proxy."
    )
  )

const release = HttpApiEndpoint.post("release", "/:order_id/release", {
  params,
  success: MobileSnapshotView,
  error: notOperable
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Release a proxy",
      "Ends the proxy and its order permanently. Prepaid time and traffic are not refunded. The order also ends if the provider cannot take the proxy back early. A second release answers `400`."
    )
  )

const signatures = HttpApiEndpoint.get("signatures", "/mobile-signatures", {
  success: Schema.Array(Schema.String).annotate({ examples: [["android", "ios", "linux", "windows"]] })
})
  .middleware(SessionAuthentication)
  .annotateMerge(described("List device signatures", "Lists the signatures of all providers. Needs a session."))

/** Operations of mobile rotating proxies (docs/contract.md, "Mobile rotating proxies"). */
export class MobileProxiesApi extends HttpApiGroup.make("mobile-proxies")
  .add(reset, credentials, signature, tags, release)
  .middleware(Authentication)
  .add(signatures)
  .prefix("/orders")
  .annotateMerge(
    OpenApi.annotations({
      title: "Mobile proxies",
      description: "Addresses, logins and signatures of mobile rotating proxies"
    })
  ) {}
