import { Layer } from "effect"
import * as ApiKeysHttp from "../accounts/api-keys/ApiKeysHttp.ts"
import * as AuthenticationHttp from "../accounts/authentication/AuthenticationHttp.ts"
import * as AuthHttp from "../accounts/sign-in/AuthHttp.ts"
import * as ProfileHttp from "../accounts/users/ProfileHttp.ts"
import * as SessionHttp from "../accounts/sign-in/SessionHttp.ts"
import * as SecondFactorHttp from "../accounts/second-factor/SecondFactorHttp.ts"
import * as SessionsHttp from "../accounts/sessions/SessionsHttp.ts"
import * as UsersHttp from "../accounts/users/UsersHttp.ts"
import * as AgentHttp from "../agents/AgentHttp.ts"
import * as StatusHttp from "../announcements/StatusHttp.ts"
import { Api } from "../Api.ts"
import * as BackOfficeHttp from "../back-office/BackOfficeHttp.ts"
import * as CatalogHttp from "../catalog/CatalogHttp.ts"
import * as DashboardHttp from "../dashboard/DashboardHttp.ts"
import * as FlagsHttp from "../flags/FlagsHttp.ts"
import * as IpCheckHttp from "../ip-check/IpCheckHttp.ts"
import * as LlmsTextHttp from "../mcp/LlmsTextHttp.ts"
import * as McpHttp from "../mcp/McpHttp.ts"
import * as NotificationsHttp from "../notifications/NotificationsHttp.ts"
import * as ConnectedAppsHttp from "../oauth/ConnectedAppsHttp.ts"
import * as DiscoveryHttp from "../oauth/DiscoveryHttp.ts"
import * as OAuthHttp from "../oauth/OAuthHttp.ts"
import * as ProxyChangesHttp from "../orders/changes/ProxyChangesHttp.ts"
import * as DownloadLinksHttp from "../orders/exports/DownloadLinksHttp.ts"
import * as OrderExportsHttp from "../orders/exports/OrderExportsHttp.ts"
import * as MobileProxiesHttp from "../orders/proxies/MobileProxiesHttp.ts"
import * as OrdersHttp from "../orders/OrdersHttp.ts"
import * as CheckoutHttp from "../orders/checkout/CheckoutHttp.ts"
import * as PromoCodePreviewHttp from "../orders/checkout/PromoCodePreviewHttp.ts"
import * as OrderDetailsHttp from "../orders/proxies/OrderDetailsHttp.ts"
import * as ProxyManagementHttp from "../orders/proxies/ProxyManagementHttp.ts"
import * as TrafficUsageHttp from "../orders/traffic/TrafficUsageHttp.ts"
import * as RpcHttp from "../rpc/RpcHttp.ts"
import * as AutoTopUpHttp from "../wallet/auto-top-up/AutoTopUpHttp.ts"
import * as InvoicesHttp from "../wallet/invoices/InvoicesHttp.ts"
import * as PaymentCallbacksHttp from "../wallet/payments/PaymentCallbacksHttp.ts"
import * as PaymentsHttp from "../wallet/payments/PaymentsHttp.ts"
import * as WalletHttp from "../wallet/WalletHttp.ts"
import * as WebhookLogHttp from "../webhooks/WebhookLogHttp.ts"
import * as WebhooksHttp from "../webhooks/WebhooksHttp.ts"
import * as AdminRoutes from "./AdminRoutes.ts"
import * as ApiServer from "./ApiServer.ts"
import * as CallerAddressHttp from "./CallerAddressHttp.ts"
import * as DocumentsHttp from "./DocumentsHttp.ts"
import * as GuidesHttp from "./GuidesHttp.ts"
import * as Health from "./Health.ts"
import * as Metrics from "./Metrics.ts"
import * as NodesHttp from "./NodesHttp.ts"
import * as RequestValidation from "./RequestValidation.ts"

const rest = ApiServer.layer(Api).pipe(
  Layer.provide([AuthHttp.layer, SessionHttp.layer, ProfileHttp.layer, UsersHttp.layer, ApiKeysHttp.layer]),
  Layer.provide([CallerAddressHttp.layer, ConnectedAppsHttp.layer, SecondFactorHttp.layer, SessionsHttp.layer]),
  Layer.provide([CatalogHttp.layer, FlagsHttp.layer, IpCheckHttp.layer, StatusHttp.layer]),
  Layer.provide([OrdersHttp.layer, CheckoutHttp.layer, OrderDetailsHttp.layer, TrafficUsageHttp.layer]),
  Layer.provide([OrderExportsHttp.layer, DownloadLinksHttp.layer]),
  Layer.provide([ProxyManagementHttp.layer, MobileProxiesHttp.layer, ProxyChangesHttp.layer]),
  Layer.provide([
    WalletHttp.layer,
    AutoTopUpHttp.layer,
    InvoicesHttp.layer,
    PaymentsHttp.layer,
    PaymentCallbacksHttp.layer
  ]),
  Layer.provide([PromoCodePreviewHttp.layer, NotificationsHttp.layer, WebhooksHttp.layer, WebhookLogHttp.layer]),
  Layer.provide([AuthenticationHttp.layer, RequestValidation.layer])
)

const oauth = Layer.mergeAll(AgentHttp.layer, DiscoveryHttp.layer, OAuthHttp.layer)

const toolServer = Layer.merge(McpHttp.layer, LlmsTextHttp.layer)

/** Every route of the server. */
export const layer = Layer.mergeAll(
  rest,
  AdminRoutes.layer,
  BackOfficeHttp.layer,
  DocumentsHttp.layer,
  GuidesHttp.layer,
  oauth,
  toolServer,
  RpcHttp.layer,
  DashboardHttp.layer,
  Health.layer,
  Metrics.layer,
  NodesHttp.layer
)
