import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import { SwitchableProtocol } from "../../catalog/Offer.ts"
import { WhitelistView } from "./ManagedProxyView.ts"
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
import { ProxyView } from "./ProxyView.ts"
import { sourceAddresses } from "./SourceAddress.ts"

const params = { order_id: OrderId }

const notOperable = [OrderNotFound, OrderNotYours, ProxyNotLive, ProxyBusy, ProviderDown] as const
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

/** Free operations on proxies. */
export class ProxyManagementApi extends HttpApiGroup.make("proxy-management")
  .add(setWhitelist, setProtocol, sync)
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(
    OpenApi.annotations({
      title: "Proxy management",
      description: "Free changes of live proxies, one at a time for each proxy"
    })
  ) {}
