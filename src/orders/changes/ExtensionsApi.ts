import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import { IdempotencyKeyReused, RequestStillRunning } from "../../idempotency/IdempotencyErrors.ts"
import { headers, replayable } from "../../idempotency/IdempotencyKeyApi.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { DailySpendLimitReached, InsufficientBalance, PurchasesStopped } from "../../wallet/WalletErrors.ts"
import { ChangeUnsettled, ExtensionTooEarly, NotSold, OfferWithdrawn } from "./ExtensionErrors.ts"
import { BandwidthRequest, ExtensionRequest } from "./ExtensionRequest.ts"
import { AutoRenewView, BandwidthView, ManagedProxyView } from "../proxies/ManagedProxy.ts"
import { MobileSnapshot } from "../proxies/MobileSnapshot.ts"
import { OrderId } from "../Order.ts"
import {
  OperationUnsupported,
  ProviderDown,
  ProviderSaidNo,
  ProxyBusy,
  ProxyNotLive,
  WrongProxyKind
} from "../proxies/ProxyErrors.ts"
import { OrderNotFound, OrderNotYours } from "../OrderErrors.ts"

const params = { order_id: OrderId }

const orderErrors = [OrderNotFound, OrderNotYours, ProxyNotLive] as const

const purchaseErrors = [
  ...orderErrors,
  ProviderDown,
  OperationUnsupported,
  OfferWithdrawn,
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

export class ExtensionsApi extends HttpApiGroup.make("extensions")
  .add(
    HttpApiEndpoint.post("extend", "/:order_id/extend", {
      params,
      headers,
      payload: ExtensionRequest,
      success: replayable(Schema.Union([ManagedProxyView, MobileSnapshot])),
      error: purchaseErrors
    })
      .annotate(RequiredScope, "orders:write")
      .annotateMerge(
        described(
          "Extend a proxy",
          "Static proxies by `months`: calendar months are added to the end, with the traffic that the offer includes for them, and a limit you set on unlimited traffic grows with the time. Mobile rotating proxies by `tarification_index`: a cycle of that tariff begins at once, what is left of the running one is gone; they need an Idempotency-Key. Paid from the wallet at today's prices, in the order's currency where the offer is sold in it, else in dollars. A change the provider refuses is refunded."
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
          "Adds GB to the running cycle of a proxy whose traffic is limited, at the offer's price per GB, paid from the wallet. `400` where the traffic is unlimited, as that of most datacenter proxies."
        )
      ),
    HttpApiEndpoint.post("autoRenew", "/:order_id/auto-renew", {
      params,
      payload: Schema.Struct({ enabled: Schema.Boolean }),
      success: Schema.Union([AutoRenewView, MobileSnapshot]),
      error: orderErrors
    })
      .annotate(RequiredScope, "orders:write")
      .annotateMerge(
        described(
          "Switch auto-renew",
          "While it is on, a proxy that becomes `expiring` is extended from the wallet: by one month, a mobile rotating one by its tariff. When that fails you are told, and it is tried again every hour until the proxy expires."
        )
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "Renewal", description: "More time and traffic for proxies" })) {}
