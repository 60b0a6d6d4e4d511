import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ApiKeysHttp from "../accounts/ApiKeysHttp.ts"
import * as AuthenticationHttp from "../accounts/AuthenticationHttp.ts"
import * as AuthHttp from "../accounts/AuthHttp.ts"
import * as ProfileHttp from "../accounts/ProfileHttp.ts"
import * as SessionHttp from "../accounts/SessionHttp.ts"
import * as UsersHttp from "../accounts/UsersHttp.ts"
import * as AgentHttp from "../agents/AgentHttp.ts"
import { Api } from "../Api.ts"
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
import * as ExtensionsHttp from "../orders/ExtensionsHttp.ts"
import * as MobileProxiesHttp from "../orders/MobileProxiesHttp.ts"
import * as OrdersHttp from "../orders/OrdersHttp.ts"
import * as PromoCodePreviewHttp from "../orders/PromoCodePreviewHttp.ts"
import * as ProxyManagementHttp from "../orders/ProxyManagementHttp.ts"
import * as RpcHttp from "../rpc/RpcHttp.ts"
import * as PaymentCallbacksHttp from "../wallet/PaymentCallbacksHttp.ts"
import * as PaymentsHttp from "../wallet/PaymentsHttp.ts"
import * as WalletHttp from "../wallet/WalletHttp.ts"
import * as WebhookLogHttp from "../webhooks/WebhookLogHttp.ts"
import * as WebhooksHttp from "../webhooks/WebhooksHttp.ts"
import * as DocumentsHttp from "./DocumentsHttp.ts"
import * as Health from "./Health.ts"
import * as Metrics from "./Metrics.ts"
import * as RequestValidation from "./RequestValidation.ts"

const rest = HttpApiBuilder.layer(Api).pipe(
  Layer.provide([AuthHttp.layer, SessionHttp.layer, ProfileHttp.layer, UsersHttp.layer, ApiKeysHttp.layer]),
  Layer.provide(ConnectedAppsHttp.layer),
  Layer.provide([CatalogHttp.layer, OrdersHttp.layer, ExtensionsHttp.layer, FlagsHttp.layer]),
  Layer.provide([IpCheckHttp.layer, ProxyManagementHttp.layer, MobileProxiesHttp.layer]),
  Layer.provide([WalletHttp.layer, PaymentsHttp.layer, PaymentCallbacksHttp.layer]),
  Layer.provide([PromoCodePreviewHttp.layer, NotificationsHttp.layer, WebhooksHttp.layer, WebhookLogHttp.layer]),
  Layer.provide([AuthenticationHttp.layer, RequestValidation.layer])
)

const oauth = Layer.mergeAll(AgentHttp.layer, DiscoveryHttp.layer, OAuthHttp.layer)

const toolServer = Layer.merge(McpHttp.layer, LlmsTextHttp.layer)

/** Everything the server answers. */
export const layer = Layer.mergeAll(
  rest,
  DocumentsHttp.layer,
  oauth,
  toolServer,
  RpcHttp.layer,
  DashboardHttp.layer,
  Health.layer,
  Metrics.layer
)
