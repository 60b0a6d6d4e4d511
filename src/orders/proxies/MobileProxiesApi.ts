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
      "Gives the proxy another exit address at once; host, port and credentials stay. Free. At most once in 5 seconds: before that `429` with `Retry-After`."
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
      "Replaces the allowed source addresses, the logins or both; a list that is left out stays as it is. Each holds at most 20 entries; the snapshot shows the first login."
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
      "What kind of device destinations take the proxy for. One that its provider does not offer answers `422` with those it does."
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
      "Free-form marks of your own, not interpreted: at most 50. An empty list clears them. While the provider does not answer, the snapshot shows what was last known of the proxy."
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
      "Ends the proxy and its order for ever; prepaid time and traffic are forfeited. Where the provider cannot take a proxy back before its time, the order ends all the same. A second release answers `400`."
    )
  )

const signatures = HttpApiEndpoint.get("signatures", "/mobile-signatures", {
  success: Schema.Array(Schema.String).annotate({ examples: [["android", "ios", "linux", "windows"]] })
})
  .middleware(SessionAuthentication)
  .annotateMerge(
    described("List device signatures", "Every signature that some provider offers. Needs a signed-in person's token.")
  )

/** What only mobile rotating proxies can do (specification section 4.5). */
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
