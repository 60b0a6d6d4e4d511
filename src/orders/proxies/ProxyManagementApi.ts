import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import { SwitchableProtocol } from "../../catalog/Offer.ts"
import { RateLimited } from "../../platform/requests/RateLimit.ts"
import { AccessChange } from "./AccessChange.ts"
import { DestinationsView, NewDestinations } from "./DestinationsView.ts"
import { CredentialsView, ReleasedView, TagsView, WhitelistView } from "./ManagedProxyView.ts"
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
import { ProxyTestView } from "./ProxyTestView.ts"
import { ProxyView } from "./ProxyView.ts"
import { RefusalsView } from "./RefusalsView.ts"
import { Tags } from "./Tags.ts"
import { sourceAddresses } from "./SourceAddress.ts"

const params = { order_id: OrderId }

const notAdmitted = [OrderNotFound, OrderNotYours, ProxyNotLive] as const
const notOperable = [...notAdmitted, ProxyStopped, ProxyBusy, ProviderDown] as const
const notChanged = [...notOperable, WrongProxyKind, OperationUnsupported, ProviderSaidNo] as const

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const setWhitelist = HttpApiEndpoint.put("setWhitelist", "/:order_id/whitelist", {
  params,
  payload: Schema.Struct({
    whitelisted_ips: sourceAddresses(100, "The source addresses that need no password; they replace all present ones")
  }),
  success: WhitelistView,
  error: notChanged
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Replace the whitelist",
      "Replaces the source addresses that may use a static proxy without a password, at most 100. The answer lists each address once, in canonical form. With an empty list, every client needs username and password."
    )
  )

const credentials = HttpApiEndpoint.post("credentials", "/:order_id/credentials", {
  params,
  payload: AccessChange,
  success: Schema.Union([CredentialsView, MobileSnapshotView]),
  error: notChanged
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Replace credentials",
      "Replaces the allowed source addresses, the logins, or both. A list that you leave out does not change. Each list has at most 20 entries. The answer shows the first login. Programs with an old login stop working."
    )
  )

const setProtocol = HttpApiEndpoint.put("setProtocol", "/:order_id/protocol", {
  params,
  payload: Schema.Struct({ protocol: SwitchableProtocol.annotate({ examples: ["SOCKS5"] }) }),
  success: ProxyView,
  error: notChanged
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Change the protocol",
      "Changes the protocol that the proxy speaks. Host or port may change too. Returns the managed proxy, or the snapshot for a mobile rotating proxy."
    )
  )

const sync = HttpApiEndpoint.post("sync", "/:order_id/sync", {
  params,
  success: ProxyView,
  error: [...notOperable, WrongProxyKind]
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Sync with the provider",
      "Updates the order from its provider immediately. The service also does this automatically about once an hour. A proxy that the provider ended early becomes `cancelled`."
    )
  )

const tags = HttpApiEndpoint.post("tags", "/:order_id/tags", {
  params,
  payload: Schema.Struct({ tags: Tags }),
  success: Schema.Union([TagsView, MobileSnapshotView]),
  error: [...notAdmitted, WrongProxyKind]
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Replace the tags",
      "Replaces your own free-form tags, at most 50. The service does not interpret them. An empty list removes all tags. While the provider does not answer, the snapshot of a mobile rotating proxy shows its last known state."
    )
  )

const release = HttpApiEndpoint.post("release", "/:order_id/release", {
  params,
  success: Schema.Union([ReleasedView, MobileSnapshotView]),
  error: [...notOperable, WrongProxyKind]
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Release a proxy",
      "Ends the proxy and its order permanently. Prepaid time and traffic are not refunded. The order also ends if the provider cannot take the proxy back early. A second release answers `400`."
    )
  )

const test = HttpApiEndpoint.post("test", "/:order_id/test", {
  params,
  success: ProxyTestView,
  error: [...notAdmitted, WrongProxyKind, ProviderDown, RateLimited]
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Test a proxy",
      "Connects through the proxy with its own login, from the service's side, and compares the exit address. Takes at most 10 seconds and uses some kilobytes of the proxy's traffic. At most 6 tests of a proxy in a minute; more answer `429` with `Retry-After`."
    )
  )

const refusals = HttpApiEndpoint.get("refusals", "/:order_id/refusals", {
  params,
  success: RefusalsView,
  error: [...notAdmitted, WrongProxyKind, OperationUnsupported, ProviderDown]
})
  .annotate(RequiredScope, "orders:read")
  .annotateMerge(
    described(
      "List refused connections",
      "Lists why the gateway refused connections of a live proxy in the last 7 days, newest first: at most 50 entries with a client's address, and 50 others. An entry counts equal refusals of one UTC day; it appears within seconds. The same reasons are in the header `X-Proxy-Error` of a refusal."
    )
  )

const destinations = HttpApiEndpoint.get("destinations", "/:order_id/destinations", {
  params,
  success: DestinationsView,
  error: [...notAdmitted, WrongProxyKind, OperationUnsupported, ProviderDown]
})
  .annotate(RequiredScope, "orders:read")
  .annotateMerge(
    described("List the destination rules", "Lists your rules about the destinations of a live proxy of the gateway.")
  )

const setDestinations = HttpApiEndpoint.put("setDestinations", "/:order_id/destinations", {
  params,
  payload: Schema.Struct({ rules: NewDestinations }),
  success: DestinationsView,
  error: notChanged
})
  .annotate(RequiredScope, "orders:write")
  .annotateMerge(
    described(
      "Replace the destination rules",
      "Replaces your rules about the destinations of a live proxy of the gateway, at most 50. A rule has a host, a network or ports, or ports with one of the others. `deny` wins; with an `allow`, every destination that no `allow` fits is closed. The rules of the operator hold too. The gateway applies the change within a second, ends open connections that it forbids, and refuses others with `403`."
    )
  )

/** Free operations on proxies of both kinds. */
export class ProxyManagementApi extends HttpApiGroup.make("proxy-management")
  .add(setWhitelist, credentials, setProtocol, tags, release, sync, test, refusals, destinations, setDestinations)
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Proxy management",
      description: "Free changes of live proxies, one at a time for each proxy"
    })
  ) {}
