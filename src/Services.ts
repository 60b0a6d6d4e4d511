import { Layer } from "effect"
import { AccountExport } from "./account-export/AccountExport.ts"
import { AnonymousAccounts } from "./accounts/sign-in/AnonymousAccounts.ts"
import { ApiKeys } from "./accounts/api-keys/ApiKeys.ts"
import { AuthLimits } from "./accounts/AuthLimits.ts"
import { BrowserSessions } from "./accounts/sessions/BrowserSessions.ts"
import { CredentialChanges } from "./accounts/CredentialChanges.ts"
import { EmailVerification } from "./accounts/sign-in/EmailVerification.ts"
import { OwnSessions } from "./accounts/sessions/OwnSessions.ts"
import { Passkeys } from "./accounts/passkeys/Passkeys.ts"
import { PasskeySignIn } from "./accounts/sign-in/PasskeySignIn.ts"
import { PasswordChanges } from "./accounts/passwords/PasswordChanges.ts"
import { PasswordConfirmation } from "./accounts/passwords/PasswordConfirmation.ts"
import { Restrictions } from "./accounts/restrictions/Restrictions.ts"
import { SecondFactorChanges } from "./accounts/second-factor/SecondFactorChanges.ts"
import { SecondFactors } from "./accounts/second-factor/SecondFactors.ts"
import { Sessions } from "./accounts/sessions/Sessions.ts"
import { SigningKeys } from "./accounts/sessions/SigningKeys.ts"
import { SignIn } from "./accounts/sign-in/SignIn.ts"
import { SignInPasses } from "./accounts/sessions/SignInPasses.ts"
import { SignUp } from "./accounts/sign-in/SignUp.ts"
import { Users } from "./accounts/users/Users.ts"
import { Announcements } from "./announcements/Announcements.ts"
import { MailChoices } from "./announcements/MailChoices.ts"
import { AgentLimits } from "./agents/AgentLimits.ts"
import { AgentRegistration } from "./agents/AgentRegistration.ts"
import { Catalog } from "./catalog/Catalog.ts"
import { Flags } from "./flags/Flags.ts"
import { NodeAuthentication } from "./gateway/nodes/NodeAuthentication.ts"
import { NodeSessions } from "./gateway/nodes/NodeSessions.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { IpCheckGate } from "./ip-check/IpCheckGate.ts"
import { IpCheckQuota } from "./ip-check/IpCheckQuota.ts"
import { IpChecks } from "./ip-check/IpChecks.ts"
import { IpSurvey } from "./ip-check/IpSurvey.ts"
import { ToolServer } from "./mcp/ToolServer.ts"
import { ToolSessions } from "./mcp/ToolSessions.ts"
import { Notifications } from "./notifications/Notifications.ts"
import { AccessTokenVerifier } from "./oauth/AccessTokenVerifier.ts"
import { Authorizations } from "./oauth/Authorizations.ts"
import { ClientAuthentication } from "./oauth/ClientAuthentication.ts"
import { Clients } from "./oauth/Clients.ts"
import { CodeRedemption } from "./oauth/CodeRedemption.ts"
import { ConnectedApps } from "./oauth/ConnectedApps.ts"
import { Consent } from "./oauth/Consent.ts"
import { OAuthLimits } from "./oauth/OAuthLimits.ts"
import { TokenRefresh } from "./oauth/TokenRefresh.ts"
import { TokenRevocation } from "./oauth/TokenRevocation.ts"
import { DownloadLinks } from "./orders/exports/DownloadLinks.ts"
import { OrderExports } from "./orders/exports/OrderExports.ts"
import { LiveProxies } from "./orders/proxies/LiveProxies.ts"
import { MobileProxies } from "./orders/proxies/MobileProxies.ts"
import { OrderCancellation } from "./orders/checkout/OrderCancellation.ts"
import * as OrderPayments from "./orders/checkout/OrderPayments.ts"
import { ProxyChanges } from "./orders/changes/ProxyChanges.ts"
import { OrderPlacement } from "./orders/checkout/OrderPlacement.ts"
import { Orders } from "./orders/Orders.ts"
import { Provisioning } from "./orders/provisioning/Provisioning.ts"
import { ProxyHistory } from "./orders/proxies/ProxyHistory.ts"
import { ProxyManagement } from "./orders/proxies/ProxyManagement.ts"
import { ProxyTests } from "./orders/proxies/ProxyTests.ts"
import { TrafficUsage } from "./orders/traffic/TrafficUsage.ts"
import { ClientAddress } from "./platform/requests/ClientAddress.ts"
import { DatabaseHealth } from "./platform/postgres/DatabaseHealth.ts"
import { StaffCredentials } from "./staff/access/StaffCredentials.ts"
import { StaffSignIn } from "./staff/access/StaffSignIn.ts"
import { AbuseDesk } from "./staff/abuse/AbuseDesk.ts"
import { RuleDesk } from "./staff/abuse/RuleDesk.ts"
import { Audit } from "./staff/audit/Audit.ts"
import { AuditLog } from "./staff/audit/AuditLog.ts"
import { AnnouncementDesk } from "./staff/announcements/AnnouncementDesk.ts"
import { CustomerCare } from "./staff/customers/CustomerCare.ts"
import { CustomerRecords } from "./staff/customers/CustomerRecords.ts"
import { CustomerRestrictions } from "./staff/customers/CustomerRestrictions.ts"
import { Customers } from "./staff/customers/Customers.ts"
import { Invites } from "./staff/members/Invites.ts"
import { Members } from "./staff/members/Members.ts"
import { StaffTokens } from "./staff/members/StaffTokens.ts"
import { StaffDocuments } from "./staff/documents/StaffDocuments.ts"
import { StaffTaxes } from "./staff/documents/StaffTaxes.ts"
import { LimitDesk } from "./staff/money/LimitDesk.ts"
import { StaffAdjustments } from "./staff/money/StaffAdjustments.ts"
import { StaffDisputes } from "./staff/money/StaffDisputes.ts"
import { StaffPayouts } from "./staff/money/StaffPayouts.ts"
import { StaffRefunds } from "./staff/money/StaffRefunds.ts"
import { StaffOrderWork } from "./staff/orders/StaffOrderWork.ts"
import { StaffOrders } from "./staff/orders/StaffOrders.ts"
import { StaffPayments } from "./staff/payments/StaffPayments.ts"
import { PromoCodeDesk } from "./staff/promo-codes/PromoCodeDesk.ts"
import { PauseDesk } from "./staff/providers/PauseDesk.ts"
import { ProviderDesk } from "./staff/providers/ProviderDesk.ts"
import { Reports } from "./staff/reports/Reports.ts"
import { ShopChanges } from "./staff/shop/ShopChanges.ts"
import { ShopDesk } from "./staff/shop/ShopDesk.ts"
import { TodoList } from "./staff/todo/TodoList.ts"
import { StaffActions } from "./staff/StaffActions.ts"
import { ToolAuthentication } from "./rpc/ToolAuthentication.ts"
import * as ToolHandlers from "./rpc/ToolHandlers.ts"
import { AutoTopUps } from "./wallet/auto-top-up/AutoTopUps.ts"
import { SavedCards } from "./wallet/auto-top-up/SavedCards.ts"
import { Invoices } from "./wallet/invoices/Invoices.ts"
import { Deposits } from "./wallet/payments/Deposits.ts"
import { Payments } from "./wallet/payments/Payments.ts"
import { Payouts } from "./wallet/payouts/Payouts.ts"
import { PromoCodes } from "./wallet/promo-codes/PromoCodes.ts"
import { SandboxPayments } from "./wallet/payments/SandboxPayments.ts"
import { VerifiedBuyers } from "./wallet/VerifiedBuyers.ts"
import { Wallets } from "./wallet/Wallets.ts"
import { WalletTransactions } from "./wallet/WalletTransactions.ts"
import { WebhookLog } from "./webhooks/WebhookLog.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"
import { WebhookTests } from "./webhooks/WebhookTests.ts"

export const accounts = Layer.mergeAll(
  AnonymousAccounts.layer,
  ApiKeys.layer,
  AuthLimits.layer,
  BrowserSessions.layer,
  ClientAddress.layer,
  CredentialChanges.layer,
  EmailVerification.layer,
  OwnSessions.layer,
  Passkeys.layer,
  PasskeySignIn.layer,
  PasswordChanges.layer,
  PasswordConfirmation.layer,
  Restrictions.layer,
  SecondFactorChanges.layer,
  SecondFactors.layer,
  Sessions.layer,
  SigningKeys.layer,
  SignIn.layer,
  SignInPasses.layer,
  SignUp.layer,
  Users.layer
)

const buying = Layer.mergeAll(OrderCancellation.layer, OrderPlacement.layer, Orders.layer, ProxyChanges.layer).pipe(
  Layer.provideMerge([Provisioning.layer, TrafficUsage.layer]),
  Layer.provideMerge(Idempotency.layer)
)

const ipChecks = Layer.mergeAll(IpChecks.layer, IpCheckQuota.layer, IpSurvey.layer).pipe(
  Layer.provideMerge(IpCheckGate.layer),
  Layer.provideMerge(buying)
)

/** The free operations on proxies. */
const managing = Layer.mergeAll(
  LiveProxies.layer,
  MobileProxies.layer,
  ProxyHistory.layer,
  ProxyManagement.layer,
  ProxyTests.layer
)

/** Files with proxies and their logins. */
const exporting = DownloadLinks.layer.pipe(Layer.provideMerge(OrderExports.layer))

const oauth = Layer.mergeAll(
  AccessTokenVerifier.layer,
  AgentLimits.layer,
  AgentRegistration.layer,
  Authorizations.layer,
  ClientAuthentication.layer,
  Clients.layer,
  CodeRedemption.layer,
  ConnectedApps.layer,
  Consent.layer,
  OAuthLimits.layer,
  TokenRefresh.layer,
  TokenRevocation.layer
)

const tools = ToolAuthentication.layer.pipe(Layer.provide([accounts, oauth]))

const paying = Layer.mergeAll(
  AutoTopUps.layer,
  Deposits.layer,
  SavedCards.layer,
  Invoices.layer,
  Payouts.layer,
  SandboxPayments.layer,
  WalletTransactions.layer
)

const webhooks = Layer.mergeAll(WebhookLog.layer, Webhooks.layer, WebhookTests.layer)

const staff = Layer.mergeAll(
  AbuseDesk.layer,
  AnnouncementDesk.layer,
  Audit.layer,
  AuditLog.layer,
  CustomerRecords.layer,
  CustomerRestrictions.layer,
  Customers.layer,
  Invites.layer,
  LimitDesk.layer,
  Members.layer,
  PauseDesk.layer,
  PromoCodeDesk.layer,
  ProviderDesk.layer,
  RuleDesk.layer,
  ShopChanges.layer,
  ShopDesk.layer,
  Reports.layer.pipe(Layer.provide(Audit.layer)),
  StaffActions.layer,
  StaffAdjustments.layer,
  StaffCredentials.layer,
  StaffOrders.layer,
  StaffOrderWork.layer,
  StaffPayments.layer,
  StaffDisputes.layer,
  StaffDocuments.layer,
  StaffPayouts.layer,
  StaffRefunds.layer,
  StaffSignIn.layer,
  StaffTaxes.layer,
  StaffTokens.layer,
  TodoList.layer
)

const nodes = Layer.merge(NodeAuthentication.layer, NodeSessions.layer)

const announcing = Layer.merge(Announcements.layer, MailChoices.layer)

const domains = CustomerCare.layer.pipe(
  Layer.provideMerge(AccountExport.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      accounts,
      announcing,
      exporting,
      ipChecks,
      managing,
      nodes,
      oauth,
      paying,
      staff,
      tools,
      webhooks,
      DatabaseHealth.layer
    )
  ),
  Layer.provideMerge(Payments.layer),
  Layer.provideMerge(OrderPayments.layer),
  Layer.provideMerge([Catalog.layer, Notifications.layer, PromoCodes.layer, VerifiedBuyers.layer, Wallets.layer]),
  Layer.provideMerge(Flags.layer)
)

const toolServer = Layer.merge(ToolServer.layer.pipe(Layer.provide(ToolHandlers.layer)), ToolSessions.layer)

/**
 * Every service that the routes and the jobs use, each built once. The caller provides the outside world: the database,
 * the providers, the payment gateways, the IP vendors, the blocklists, mail, requests to untrusted addresses, the rate
 * limit store.
 */
export const layer = toolServer.pipe(Layer.provideMerge(domains))
