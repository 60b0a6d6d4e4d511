import { Layer } from "effect"
import * as EmailDelivery from "./accounts/EmailDelivery.ts"
import * as SessionCleanup from "./accounts/SessionCleanup.ts"
import * as AgentCleanup from "./agents/AgentCleanup.ts"
import * as CatalogSync from "./catalog/CatalogSync.ts"
import * as IdempotencyCleanup from "./idempotency/IdempotencyCleanup.ts"
import * as BlocklistSyncRounds from "./ip-check/BlocklistSyncRounds.ts"
import * as IpCheckCleanup from "./ip-check/IpCheckCleanup.ts"
import * as IpCheckRecovery from "./ip-check/IpCheckRecovery.ts"
import * as ToolSessionExpiry from "./mcp/ToolSessionExpiry.ts"
import * as NotificationCleanup from "./notifications/NotificationCleanup.ts"
import * as OAuthCleanup from "./oauth/OAuthCleanup.ts"
import * as AccountClosure from "./orders/AccountClosure.ts"
import * as AutoRenewal from "./orders/AutoRenewal.ts"
import * as Expiry from "./orders/Expiry.ts"
import * as OrderTallies from "./orders/OrderTallies.ts"
import * as OrphanRelease from "./orders/OrphanRelease.ts"
import * as ProvisioningSweep from "./orders/ProvisioningSweep.ts"
import * as ProxyChangeSettlement from "./orders/ProxyChangeSettlement.ts"
import * as ProxySyncRounds from "./orders/ProxySyncRounds.ts"
import * as UnpaidOrderCleanup from "./orders/UnpaidOrderCleanup.ts"
import * as PaymentCallbackCleanup from "./wallet/PaymentCallbackCleanup.ts"
import * as PaymentExpiry from "./wallet/PaymentExpiry.ts"
import * as ReferralPayout from "./wallet/ReferralPayout.ts"
import * as UnpaidPaymentCleanup from "./wallet/UnpaidPaymentCleanup.ts"
import * as WebhookCleanup from "./webhooks/WebhookCleanup.ts"
import { WebhookDispatcher } from "./webhooks/WebhookDispatcher.ts"
import * as WebhookRetries from "./webhooks/WebhookRetries.ts"

/** Everything that runs in the background. */
export const layer = Layer.mergeAll(
  AccountClosure.layer,
  AgentCleanup.layer,
  AutoRenewal.layer,
  BlocklistSyncRounds.layer,
  CatalogSync.layer,
  EmailDelivery.layer,
  Expiry.layer,
  IdempotencyCleanup.layer,
  IpCheckCleanup.layer,
  IpCheckRecovery.layer,
  NotificationCleanup.layer,
  OAuthCleanup.layer,
  OrderTallies.layer,
  OrphanRelease.layer,
  PaymentCallbackCleanup.layer,
  PaymentExpiry.layer,
  ProvisioningSweep.layer,
  ProxyChangeSettlement.layer,
  ProxySyncRounds.layer,
  ReferralPayout.layer,
  SessionCleanup.layer,
  ToolSessionExpiry.layer,
  UnpaidOrderCleanup.layer,
  UnpaidPaymentCleanup.layer,
  WebhookCleanup.layer,
  WebhookDispatcher.layer,
  WebhookRetries.layer
)
