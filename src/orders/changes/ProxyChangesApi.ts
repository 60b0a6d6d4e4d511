import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import { IdempotencyKeyReused, RequestStillRunning } from "../../idempotency/IdempotencyErrors.ts"
import { headers, replayable } from "../../idempotency/IdempotencyKeyApi.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { DailySpendLimitReached, InsufficientBalance, PurchasesStopped } from "../../wallet/WalletErrors.ts"
import { ChangeUnsettled, ExtensionTooEarly, NotSold, OfferWithdrawn, ProxyChanged } from "./ProxyChangeErrors.ts"
import { BandwidthRequest, ExtendRequest } from "./ProxyChangeRequest.ts"
import { AutoRenewView, BandwidthView, ManagedProxyView } from "../proxies/ManagedProxyView.ts"
import { MobileSnapshotView } from "../proxies/MobileSnapshotView.ts"
import { OrderId } from "../Order.ts"
import {
  OperationUnsupported,
  ProviderDown,
  ProviderSaidNo,
  ProxyBusy,
  ProxyNotLive,
  WrongProxyKind
} from "../proxies/ProxyErrors.ts"
import { OfferChanged, PriceChanged, OrderNotFound, OrderNotYours } from "../OrderErrors.ts"

const params = { order_id: OrderId }

const orderErrors = [OrderNotFound, OrderNotYours, ProxyNotLive] as const

const purchaseErrors = [
  ...orderErrors,
  ProviderDown,
  OperationUnsupported,
  OfferWithdrawn,
  OfferChanged,
  PriceChanged,
  ProxyChanged,
  NotSold,
  RequestInvalid,
  ProxyBusy,
  ProviderSaidNo,
  ChangeUnsettled,
  InsufficientBalance,
  PurchasesStopped,
  DailySpendLimitReached,
  IdempotencyKeyReused,
  RequestStillRunning,
  WrongProxyKind,
  ExtensionTooEarly
] as const

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

export class ProxyChangesApi extends HttpApiGroup.make("extensions")
  .add(
    HttpApiEndpoint.post("extend", "/:order_id/extend", {
      params,
      headers,
      payload: ExtendRequest,
      success: replayable(Schema.Union([ManagedProxyView, MobileSnapshotView])),
      error: purchaseErrors
    })
      .annotate(RequiredScope, "orders:write")
      .annotateMerge(
        described(
          "Extend a proxy",
          "Send `months` for a static proxy: the service adds calendar months to its end, with the traffic that the offer includes for them; a limit that you set on unlimited traffic grows with the time. Send `tarification_index` and an Idempotency-Key for a mobile rotating proxy: a cycle of that tariff begins immediately, and the rest of the running cycle is lost. The wallet pays today's price, or the price that a tool's dry run has quoted within the last 10 minutes if that is lower; in the order's currency where the offer is sold in it, else in dollars. `409` with `details.reason` `offer_changed`: the quoted tariff is another one meanwhile; ask for the price again. Send `expected_expires_at`, the end that you have seen, so that nobody pays twice for what was extended already: `409` `proxy_changed`. If the provider refuses the change, the money returns to the wallet."
        )
      ),
    HttpApiEndpoint.post("bandwidth", "/:order_id/bandwidth", {
      params,
      headers,
      payload: BandwidthRequest,
      success: replayable(BandwidthView),
      error: purchaseErrors
    })
      .annotate(RequiredScope, "orders:write")
      .annotateMerge(
        described(
          "Buy traffic",
          "Adds GB to the running cycle of a proxy with limited traffic. The wallet pays the offer's price per GB, or the price that a tool's dry run has quoted within the last 10 minutes if that is lower. `400` means that the traffic is unlimited, as it is for most datacenter proxies, or that the offer sells no extra traffic."
        )
      ),
    HttpApiEndpoint.post("autoRenew", "/:order_id/auto-renew", {
      params,
      payload: Schema.Struct({ enabled: Schema.Boolean }),
      success: Schema.Union([AutoRenewView, MobileSnapshotView]),
      error: orderErrors
    })
      .annotate(RequiredScope, "orders:write")
      .annotateMerge(
        described(
          "Switch auto-renew",
          "While auto-renew is on, the service extends the proxy from the wallet when it becomes `expiring`: a static proxy by one month, a mobile rotating proxy by its tariff, at the price of that day. A price that is much higher than that of the last term is announced first: by default more than 20 percent, and usually a day ahead. Switch auto-renew off to decline it. When the renewal fails, the service sends you a notice and tries again every hour until the proxy expires."
        )
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "Renewal", description: "More time and traffic for proxies" })) {}
