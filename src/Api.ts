import { HttpApi, OpenApi } from "effect/http-api"
import { StatusApi } from "./announcements/StatusApi.ts"
import { ApiKeysApi } from "./accounts/api-keys/ApiKeysApi.ts"
import { AuthApi } from "./accounts/sign-in/AuthApi.ts"
import { ProfileApi } from "./accounts/users/ProfileApi.ts"
import { SecondFactorApi } from "./accounts/second-factor/SecondFactorApi.ts"
import { SessionApi } from "./accounts/sign-in/SessionApi.ts"
import { SessionsApi } from "./accounts/sessions/SessionsApi.ts"
import { UsersApi } from "./accounts/users/UsersApi.ts"
import { CatalogApi } from "./catalog/CatalogApi.ts"
import { FlagsApi } from "./flags/FlagsApi.ts"
import { CallerAddressApi } from "./http/CallerAddressApi.ts"
import * as OpenApiDocument from "./http/OpenApiDocument.ts"
import { RequestValidation } from "./http/RequestValidation.ts"
import { IpCheckApi } from "./ip-check/IpCheckApi.ts"
import { NotificationsApi } from "./notifications/NotificationsApi.ts"
import { ConnectedAppsApi } from "./oauth/ConnectedAppsApi.ts"
import { ProxyChangesApi } from "./orders/changes/ProxyChangesApi.ts"
import { DownloadLinksApi } from "./orders/exports/DownloadLinksApi.ts"
import { OrderExportsApi } from "./orders/exports/OrderExportsApi.ts"
import { MobileProxiesApi } from "./orders/proxies/MobileProxiesApi.ts"
import { OrdersApi } from "./orders/OrdersApi.ts"
import { CheckoutApi } from "./orders/checkout/CheckoutApi.ts"
import { PromoCodePreviewApi } from "./orders/checkout/PromoCodePreviewApi.ts"
import { OrderDetailsApi } from "./orders/proxies/OrderDetailsApi.ts"
import { ProxyManagementApi } from "./orders/proxies/ProxyManagementApi.ts"
import { TrafficUsageApi } from "./orders/traffic/TrafficUsageApi.ts"
import { WarrantyApi } from "./orders/warranty/WarrantyApi.ts"
import { AutoTopUpApi } from "./wallet/auto-top-up/AutoTopUpApi.ts"
import { InvoicesApi } from "./wallet/invoices/InvoicesApi.ts"
import { PaymentCallbacksApi } from "./wallet/payments/PaymentCallbacksApi.ts"
import { PaymentsApi } from "./wallet/payments/PaymentsApi.ts"
import { WalletApi } from "./wallet/WalletApi.ts"
import { WebhookLogApi } from "./webhooks/WebhookLogApi.ts"
import { WebhooksApi } from "./webhooks/WebhooksApi.ts"

/** The public REST API: every route, its schemas and its errors. */
export class Api extends HttpApi.make("proxy-rental")
  .add(AuthApi)
  .add(SessionApi)
  .add(SessionsApi)
  .add(ProfileApi)
  .add(UsersApi)
  .add(SecondFactorApi)
  .add(ConnectedAppsApi)
  .add(ApiKeysApi)
  .add(CatalogApi)
  .add(WalletApi)
  .add(AutoTopUpApi)
  .add(InvoicesApi)
  .add(PaymentsApi)
  .add(PaymentCallbacksApi)
  .add(OrdersApi)
  .add(OrderExportsApi)
  .add(DownloadLinksApi)
  .add(CheckoutApi)
  .add(OrderDetailsApi)
  .add(TrafficUsageApi)
  .add(ProxyManagementApi)
  .add(MobileProxiesApi)
  .add(ProxyChangesApi)
  .add(WarrantyApi)
  .add(PromoCodePreviewApi)
  .add(WebhooksApi)
  .add(WebhookLogApi)
  .add(IpCheckApi)
  .add(NotificationsApi)
  .add(FlagsApi)
  .add(CallerAddressApi)
  .add(StatusApi)
  .middleware(RequestValidation)
  .prefix("/v1")
  .annotateMerge(
    OpenApi.annotations({
      title: "Proxy Rental Service",
      version: "1.0.0",
      license: { name: "MIT", identifier: "MIT" },
      description:
        "Rent datacenter, residential and mobile proxies: sign up, top up the wallet, order, use. Send a session token in `Authorization: Bearer`, or an API key (`POST /v1/api-keys`) in `X-API-Key`. Amounts are in US dollars or stars, timestamps in UTC. Every response carries `X-Request-Id`. The headers `RateLimit` and `RateLimit-Policy` report the rate limits. Pages of any origin may call the API (CORS), because it uses no cookies. A path answers an unsupported method with `405` and lists the supported methods in `Allow`. The [guides](/docs/guides) explain the parts with examples.",
      transform: OpenApiDocument.finish
    })
  ) {}
