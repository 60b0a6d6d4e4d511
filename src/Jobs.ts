import { Effect, Layer } from "effect"
import * as EmailDelivery from "./accounts/mail/EmailDelivery.ts"
import * as RestrictionExpiry from "./accounts/restrictions/RestrictionExpiry.ts"
import * as SessionCleanup from "./accounts/sessions/SessionCleanup.ts"
import * as EmailCleanup from "./accounts/mail/EmailCleanup.ts"
import * as AnnouncementRounds from "./announcements/AnnouncementRounds.ts"
import * as AgentCleanup from "./agents/AgentCleanup.ts"
import * as CatalogSync from "./catalog/CatalogSync.ts"
import * as SalesPauseExpiry from "./catalog/SalesPauseExpiry.ts"
import * as StockCount from "./catalog/StockCount.ts"
import * as VendorBalanceRounds from "./doctor/VendorBalanceRounds.ts"
import * as GatewayLogCleanup from "./gateway/GatewayLogCleanup.ts"
import * as NodeRounds from "./gateway/nodes/NodeRounds.ts"
import * as IdempotencyCleanup from "./idempotency/IdempotencyCleanup.ts"
import * as BlocklistSyncRounds from "./ip-check/blocklists/BlocklistSyncRounds.ts"
import * as IpCheckCleanup from "./ip-check/IpCheckCleanup.ts"
import * as IpCheckRecovery from "./ip-check/IpCheckRecovery.ts"
import * as ToolSessionExpiry from "./mcp/ToolSessionExpiry.ts"
import * as NotificationCleanup from "./notifications/NotificationCleanup.ts"
import * as OAuthCleanup from "./oauth/OAuthCleanup.ts"
import * as AccountClosure from "./orders/proxies/AccountClosure.ts"
import * as BanEnd from "./orders/proxies/BanEnd.ts"
import * as CallCountRounds from "./provider/CallCountRounds.ts"
import * as AutoRenewal from "./orders/changes/AutoRenewal.ts"
import * as Expiry from "./orders/proxies/Expiry.ts"
import * as OrderTallies from "./orders/OrderTallies.ts"
import * as OrphanRelease from "./orders/provisioning/OrphanRelease.ts"
import * as ProvisioningRecovery from "./orders/provisioning/ProvisioningRecovery.ts"
import * as ProxyChangeRecovery from "./orders/changes/ProxyChangeRecovery.ts"
import * as ProxyReleases from "./orders/care/ProxyReleases.ts"
import * as ProxySyncRounds from "./orders/proxies/ProxySyncRounds.ts"
import * as ProxyStops from "./orders/proxies/ProxyStops.ts"
import * as RestrictionRounds from "./orders/checkout/RestrictionRounds.ts"
import * as RefundExpiry from "./orders/refunds/RefundExpiry.ts"
import * as RefundedProxies from "./orders/refunds/RefundedProxies.ts"
import * as FirstShop from "./shop/FirstShop.ts"
import * as QuoteCleanup from "./orders/checkout/QuoteCleanup.ts"
import * as UnpaidOrderCleanup from "./orders/checkout/UnpaidOrderCleanup.ts"
import * as AdjustmentExpiry from "./wallet/adjustments/AdjustmentExpiry.ts"
import * as CardRemoval from "./wallet/auto-top-up/CardRemoval.ts"
import * as AutoTopUpRounds from "./wallet/payments/AutoTopUpRounds.ts"
import * as CardPaymentLookUps from "./wallet/payments/CardPaymentLookUps.ts"
import * as DisputeRounds from "./wallet/payments/DisputeRounds.ts"
import * as PaymentCallbackCleanup from "./wallet/payments/PaymentCallbackCleanup.ts"
import * as PaymentExpiry from "./wallet/payments/PaymentExpiry.ts"
import * as InvoiceRounds from "./wallet/invoices/InvoiceRounds.ts"
import * as RealMoney from "./wallet/RealMoney.ts"
import * as ReferralPayout from "./wallet/referrals/ReferralPayout.ts"
import * as GatewayRefundRounds from "./wallet/refunds/GatewayRefundRounds.ts"
import * as DayClose from "./staff/reports/DayClose.ts"
import * as MoneyDays from "./staff/reports/MoneyDays.ts"
import * as TodoRounds from "./staff/todo/TodoRounds.ts"
import * as UnpaidPaymentCleanup from "./wallet/payments/UnpaidPaymentCleanup.ts"
import * as StaffCleanup from "./staff/access/StaffCleanup.ts"
import * as WebhookCleanup from "./webhooks/WebhookCleanup.ts"
import { WebhookDispatcher } from "./webhooks/WebhookDispatcher.ts"
import * as WebhookRetries from "./webhooks/WebhookRetries.ts"

/** The jobs that keep the memory of a process true. A process that does not run every job runs these. */
export const layerOwn = Layer.mergeAll(CallCountRounds.layer, StockCount.layer, ToolSessionExpiry.layer)

/** Every background job. */
export const layer = Layer.mergeAll(
  AccountClosure.layer,
  AdjustmentExpiry.layer,
  AgentCleanup.layer,
  AnnouncementRounds.layer,
  AutoRenewal.layer,
  AutoTopUpRounds.layer,
  BanEnd.layer,
  BlocklistSyncRounds.layer,
  CallCountRounds.layer,
  CardPaymentLookUps.layer,
  CardRemoval.layer,
  CatalogSync.layer.pipe(Layer.provide(FirstShop.layerIf(Effect.map(RealMoney.gateways, ({ length }) => length > 0)))),
  DayClose.layer,
  DisputeRounds.layer,
  EmailCleanup.layer,
  EmailDelivery.layer,
  Expiry.layer,
  GatewayLogCleanup.layer,
  GatewayRefundRounds.layer,
  IdempotencyCleanup.layer,
  InvoiceRounds.layer,
  IpCheckCleanup.layer,
  IpCheckRecovery.layer,
  MoneyDays.layer,
  NodeRounds.layer,
  NotificationCleanup.layer,
  OAuthCleanup.layer,
  OrderTallies.layer,
  OrphanRelease.layer,
  PaymentCallbackCleanup.layer,
  PaymentExpiry.layer,
  ProvisioningRecovery.layer,
  ProxyChangeRecovery.layer,
  ProxyReleases.layer,
  ProxyStops.layer,
  ProxySyncRounds.layer,
  QuoteCleanup.layer,
  ReferralPayout.layer,
  RestrictionExpiry.layer,
  RestrictionRounds.layer,
  RefundExpiry.layer,
  RefundedProxies.layer,
  SalesPauseExpiry.layer,
  SessionCleanup.layer,
  StaffCleanup.layer,
  TodoRounds.layer,
  ToolSessionExpiry.layer,
  UnpaidOrderCleanup.layer,
  UnpaidPaymentCleanup.layer,
  VendorBalanceRounds.layer,
  WebhookCleanup.layer,
  WebhookDispatcher.layer,
  WebhookRetries.layer
)
