import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../accounts/Authentication.ts"
import { ProxyKind } from "../catalog/Offer.ts"
import { OfferNotFound } from "../catalog/CatalogErrors.ts"
import { IdempotencyKeyReused, RequestStillRunning } from "../idempotency/IdempotencyErrors.ts"
import { RequestInvalid } from "../platform/RequestInvalid.ts"
import { Currency } from "../platform/Money.ts"
import * as Page from "../platform/Page.ts"
import { Text } from "../platform/Text.ts"
import { DailySpendLimitReached, InsufficientBalance } from "../wallet/WalletErrors.ts"
import { OrderId } from "./Order.ts"
import {
  OfferMismatch,
  OfferOutOfStock,
  OrderNotFound,
  OrderNotYours,
  PaymentMethodRefused,
  TrafficUnavailable
} from "./OrderErrors.ts"
import { OrderRequest } from "./OrderRequest.ts"
import { OrderStatus } from "./OrderStatus.ts"
import { ListedOrder, OrderView } from "./OrderView.ts"
import { TrafficPeriod, TrafficUsageView } from "./TrafficUsageView.ts"

const params = { order_id: OrderId }

const ListedProxyStatus = Schema.Literals(["active", "expiring", "expired"])

const placementErrors = [OfferNotFound, OfferMismatch, OfferOutOfStock, PaymentMethodRefused, RequestInvalid] as const

const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const Placed = HttpApiSchema.WithHeaders(Schema.Array(OrderView).pipe(HttpApiSchema.status(201)), {
  "idempotency-replayed": Schema.optionalKey(Schema.Literal("true"))
})

const QuoteView = Schema.Struct({
  total: Schema.Finite.annotate({ examples: [9] }),
  currency: Currency,
  unit_price: Schema.Finite.annotate({ examples: [4.5] }),
  quantity: Schema.Int.annotate({ examples: [2] }),
  discount: Schema.Finite.annotate({ examples: [0] }),
  offer: Schema.Struct({ id: Schema.Int, name: Schema.String, kind: ProxyKind, country_code: Schema.String }),
  wallets: Schema.Array(Schema.Struct({ wallet_id: Schema.String, currency: Currency, balance: Schema.Finite }))
}).annotate({ identifier: "Quote" })

const count = (example: number) => Schema.Int.annotate({ examples: [example] })

const Counts = Schema.Struct({ active: count(3), expiring: count(1), expired: count(8), total: count(12) })

export class OrdersApi extends HttpApiGroup.make("orders")
  .add(
    HttpApiEndpoint.post("create", "/", {
      headers: { "idempotency-key": Schema.optionalKey(Text(1, 255)) },
      payload: OrderRequest,
      success: Placed,
      error: [
        ...placementErrors,
        InsufficientBalance,
        DailySpendLimitReached,
        IdempotencyKeyReused,
        RequestStillRunning
      ]
    })
      .annotate(RequiredScope, "orders:write")
      .annotateMerge(
        described(
          "Order proxies",
          "Creates `quantity` independent orders of one offer, all or none, and pays them from the wallet. Answers within 10 seconds: orders still `paid` then are finished in the background; one that cannot be provisioned is refunded. Send an idempotency key to make a retry safe: it answers the stored result with `Idempotency-Replayed: true`."
        )
      ),
    HttpApiEndpoint.post("quote", "/quote", { payload: OrderRequest, success: QuoteView, error: placementErrors })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(described("Quote an order", "What the same body would cost as an order. Charges nothing.")),
    HttpApiEndpoint.get("list", "/", {
      query: {
        ...Page.query(100, 50),
        status: Schema.optionalKey(OrderStatus),
        proxy_type: Schema.optionalKey(ProxyKind),
        proxy_status: Schema.optionalKey(ListedProxyStatus)
      },
      success: Schema.Struct({
        orders: Schema.Array(ListedOrder),
        total: Schema.Int,
        limit: Schema.Int,
        offset: Schema.Int
      })
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(described("List orders", "Your orders, newest first. `total` counts all matches.")),
    HttpApiEndpoint.get("counts", "/counts", {
      query: { proxy_type: Schema.optionalKey(ProxyKind) },
      success: Counts
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(described("Count orders", "Each number equals the `total` of the list with the same filter.")),
    HttpApiEndpoint.get("get", "/:order_id", {
      params,
      success: OrderView,
      error: [OrderNotFound, OrderNotYours]
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described("Get an order", "The order, with its proxy's address and credentials while the proxy is live.")
      ),
    HttpApiEndpoint.get("traffic", "/:order_id/traffic-usage", {
      params,
      query: { period: TrafficPeriod.pipe(Schema.withDecodingDefaultKey(Effect.succeed("last_7d"))) },
      success: TrafficUsageView,
      error: [OrderNotFound, OrderNotYours, TrafficUnavailable]
    })
      .annotate(RequiredScope, "orders:read")
      .annotateMerge(
        described(
          "Traffic of an order",
          "Hourly points for `last_24h`, daily ones for `last_7d` and `last_30d`, aligned to UTC hours and days. Traffic shows within 5 seconds."
        )
      )
  )
  .prefix("/orders")
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "Orders", description: "Buying proxies and finding them again" })) {}
