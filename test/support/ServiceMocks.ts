import { Effect, Layer, Option, Schema } from "effect"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import { AuthLimits } from "../../src/accounts/AuthLimits.ts"
import { BrowserSessions } from "../../src/accounts/sessions/BrowserSessions.ts"
import { CredentialChanges } from "../../src/accounts/CredentialChanges.ts"
import { EmailVerification } from "../../src/accounts/sign-in/EmailVerification.ts"
import { OwnSessions } from "../../src/accounts/sessions/OwnSessions.ts"
import { Passkeys } from "../../src/accounts/passkeys/Passkeys.ts"
import { PasskeySignIn } from "../../src/accounts/sign-in/PasskeySignIn.ts"
import { PasswordChanges } from "../../src/accounts/passwords/PasswordChanges.ts"
import { PasswordConfirmation } from "../../src/accounts/passwords/PasswordConfirmation.ts"
import { Restrictions } from "../../src/accounts/restrictions/Restrictions.ts"
import { SecondFactorChanges } from "../../src/accounts/second-factor/SecondFactorChanges.ts"
import { SecondFactors } from "../../src/accounts/second-factor/SecondFactors.ts"
import { Sessions } from "../../src/accounts/sessions/Sessions.ts"
import { SigningKeys } from "../../src/accounts/sessions/SigningKeys.ts"
import { SignInPasses } from "../../src/accounts/sessions/SignInPasses.ts"
import { SignIn } from "../../src/accounts/sign-in/SignIn.ts"
import { SignUp } from "../../src/accounts/sign-in/SignUp.ts"
import { UserId } from "../../src/accounts/User.ts"
import { Users } from "../../src/accounts/users/Users.ts"
import { AgentLimits } from "../../src/agents/AgentLimits.ts"
import { AgentRegistration } from "../../src/agents/AgentRegistration.ts"
import { Catalog } from "../../src/catalog/Catalog.ts"
import { Flags } from "../../src/flags/Flags.ts"
import { Idempotency } from "../../src/idempotency/Idempotency.ts"
import { IpCheckGate } from "../../src/ip-check/IpCheckGate.ts"
import { IpCheckQuota } from "../../src/ip-check/IpCheckQuota.ts"
import { IpChecks } from "../../src/ip-check/IpChecks.ts"
import { IpSurvey } from "../../src/ip-check/IpSurvey.ts"
import { ToolServer } from "../../src/mcp/ToolServer.ts"
import { ToolSessions } from "../../src/mcp/ToolSessions.ts"
import { Notifications } from "../../src/notifications/Notifications.ts"
import { Authorizations } from "../../src/oauth/Authorizations.ts"
import { ClientAuthentication } from "../../src/oauth/ClientAuthentication.ts"
import { Clients } from "../../src/oauth/Clients.ts"
import { CodeRedemption } from "../../src/oauth/CodeRedemption.ts"
import { ConnectedApps } from "../../src/oauth/ConnectedApps.ts"
import { Consent } from "../../src/oauth/Consent.ts"
import { OAuthLimits } from "../../src/oauth/OAuthLimits.ts"
import { TokenRefresh } from "../../src/oauth/TokenRefresh.ts"
import { TokenRevocation } from "../../src/oauth/TokenRevocation.ts"
import { LiveProxies } from "../../src/orders/proxies/LiveProxies.ts"
import { MobileProxies } from "../../src/orders/proxies/MobileProxies.ts"
import { OrderCancellation } from "../../src/orders/checkout/OrderCancellation.ts"
import { ProxyChanges } from "../../src/orders/changes/ProxyChanges.ts"
import { OrderPlacement } from "../../src/orders/checkout/OrderPlacement.ts"
import { DownloadLinks } from "../../src/orders/exports/DownloadLinks.ts"
import { OrderExports } from "../../src/orders/exports/OrderExports.ts"
import { Orders } from "../../src/orders/Orders.ts"
import { ProxyHistory } from "../../src/orders/proxies/ProxyHistory.ts"
import { ProxyTests } from "../../src/orders/proxies/ProxyTests.ts"
import { ProxyManagement } from "../../src/orders/proxies/ProxyManagement.ts"
import { TrafficUsage } from "../../src/orders/traffic/TrafficUsage.ts"
import { ClientAddress } from "../../src/platform/requests/ClientAddress.ts"
import { DatabaseHealth } from "../../src/platform/postgres/DatabaseHealth.ts"
import { StaffCredentials } from "../../src/staff/access/StaffCredentials.ts"
import { StaffSignIn } from "../../src/staff/access/StaffSignIn.ts"
import { AbuseDesk } from "../../src/staff/abuse/AbuseDesk.ts"
import { RuleDesk } from "../../src/staff/abuse/RuleDesk.ts"
import { Audit } from "../../src/staff/audit/Audit.ts"
import { CustomerRecords } from "../../src/staff/customers/CustomerRecords.ts"
import { CustomerRestrictions } from "../../src/staff/customers/CustomerRestrictions.ts"
import { Customers } from "../../src/staff/customers/Customers.ts"
import { AuditLog } from "../../src/staff/audit/AuditLog.ts"
import { Invites } from "../../src/staff/members/Invites.ts"
import { Members } from "../../src/staff/members/Members.ts"
import { StaffActions } from "../../src/staff/StaffActions.ts"
import { StaffTokens } from "../../src/staff/members/StaffTokens.ts"
import { LimitDesk } from "../../src/staff/money/LimitDesk.ts"
import { StaffAdjustments } from "../../src/staff/money/StaffAdjustments.ts"
import { StaffDocuments } from "../../src/staff/documents/StaffDocuments.ts"
import { StaffTaxes } from "../../src/staff/documents/StaffTaxes.ts"
import { StaffDisputes } from "../../src/staff/money/StaffDisputes.ts"
import { StaffPayouts } from "../../src/staff/money/StaffPayouts.ts"
import { StaffRefunds } from "../../src/staff/money/StaffRefunds.ts"
import { StaffOrderWork } from "../../src/staff/orders/StaffOrderWork.ts"
import { StaffOrders } from "../../src/staff/orders/StaffOrders.ts"
import { StaffPayments } from "../../src/staff/payments/StaffPayments.ts"
import { AccountExport } from "../../src/account-export/AccountExport.ts"
import { NodeAuthentication } from "../../src/gateway/nodes/NodeAuthentication.ts"
import { NodeSessions } from "../../src/gateway/nodes/NodeSessions.ts"
import { Announcements } from "../../src/announcements/Announcements.ts"
import { MailChoices } from "../../src/announcements/MailChoices.ts"
import { AnnouncementDesk } from "../../src/staff/announcements/AnnouncementDesk.ts"
import { CustomerCare } from "../../src/staff/customers/CustomerCare.ts"
import { PromoCodeDesk } from "../../src/staff/promo-codes/PromoCodeDesk.ts"
import { ShopChanges } from "../../src/staff/shop/ShopChanges.ts"
import { ShopDesk } from "../../src/staff/shop/ShopDesk.ts"
import { PauseDesk } from "../../src/staff/providers/PauseDesk.ts"
import { ProviderDesk } from "../../src/staff/providers/ProviderDesk.ts"
import { Reports } from "../../src/staff/reports/Reports.ts"
import { TodoList } from "../../src/staff/todo/TodoList.ts"
import { ToolAuthentication } from "../../src/rpc/ToolAuthentication.ts"
import { AutoTopUps } from "../../src/wallet/auto-top-up/AutoTopUps.ts"
import { SavedCards } from "../../src/wallet/auto-top-up/SavedCards.ts"
import { Payouts } from "../../src/wallet/payouts/Payouts.ts"
import { Invoices } from "../../src/wallet/invoices/Invoices.ts"
import { Deposits } from "../../src/wallet/payments/Deposits.ts"
import { PaymentGateways } from "../../src/wallet/gateways/PaymentGateways.ts"
import { Payments } from "../../src/wallet/payments/Payments.ts"
import { PromoCodes } from "../../src/wallet/promo-codes/PromoCodes.ts"
import { SandboxPayments } from "../../src/wallet/payments/SandboxPayments.ts"
import { VerifiedBuyers } from "../../src/wallet/VerifiedBuyers.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { WalletTransactions } from "../../src/wallet/WalletTransactions.ts"
import { WebhookLog } from "../../src/webhooks/WebhookLog.ts"
import { Webhooks } from "../../src/webhooks/Webhooks.ts"
import { WebhookTests } from "../../src/webhooks/WebhookTests.ts"

const unused: any = undefined

/** A bearer token that is a user id is a session of that user. */
const sessions = Layer.mock(Sessions)({
  caller: (token) =>
    Effect.succeed(
      Option.map(Schema.decodeUnknownOption(UserId)(token), (user_id) => ({
        user_id,
        credential: { _tag: "session" as const, session_id: token }
      }))
    )
})

/** Mocks of every service of the API; only the callers work. */
export const layer = Layer.mergeAll(
  sessions,
  ClientAddress.layer,
  Layer.mock(AgentLimits)({}),
  Layer.mock(AgentRegistration)({}),
  Layer.mock(ApiKeys)({}),
  Layer.mock(AbuseDesk)({}),
  Layer.mock(PauseDesk)({}),
  Layer.mock(AccountExport)({}),
  Layer.mock(AnnouncementDesk)({}),
  Layer.mock(NodeAuthentication)({ isOpen: Effect.succeed(false) }),
  Layer.mock(NodeSessions)({}),
  Layer.mock(Announcements)({ current: () => Effect.succeed([]) }),
  Layer.mock(CustomerCare)({}),
  Layer.mock(MailChoices)({}),
  Layer.mock(PromoCodeDesk)({}),
  Layer.mock(ProviderDesk)({}),
  Layer.mock(LimitDesk)({}),
  Layer.mock(RuleDesk)({}),
  Layer.mock(ShopChanges)({}),
  Layer.mock(ShopDesk)({}),
  Layer.mock(Audit)({}),
  Layer.mock(CustomerRestrictions)({}),
  Layer.mock(CustomerRecords)({}),
  Layer.mock(Customers)({}),
  Layer.mock(Restrictions)({}),
  Layer.mock(AuditLog)({}),
  Layer.mock(AuthLimits)({}),
  Layer.mock(BrowserSessions)({}),
  Layer.mock(SignInPasses)({}),
  Layer.mock(Authorizations)({}),
  Layer.mock(Catalog)({}),
  Layer.mock(ClientAuthentication)({}),
  Layer.mock(Clients)({}),
  Layer.mock(CodeRedemption)({}),
  Layer.mock(ConnectedApps)({}),
  Layer.mock(Consent)({}),
  Layer.mock(CredentialChanges)({ caughtUp: Effect.void, isUpToDate: () => true }),
  Layer.mock(DatabaseHealth)({}),
  Layer.mock(AutoTopUps)({}),
  Layer.mock(Deposits)({}),
  Layer.mock(Invoices)({}),
  Layer.mock(Payouts)({ areOffered: false }),
  Layer.mock(SavedCards)({ areOffered: false }),
  Layer.mock(EmailVerification)({}),
  Layer.mock(ProxyChanges)({}),
  Layer.mock(Flags)({}),
  Layer.mock(Idempotency)({ keeping: () => unused, remember: () => unused }),
  Layer.mock(IpCheckGate)({}),
  Layer.mock(IpCheckQuota)({}),
  Layer.mock(IpChecks)({}),
  Layer.mock(IpSurvey)({ hasBlocklists: () => false }),
  Layer.mock(LiveProxies)({}),
  Layer.mock(MobileProxies)({ signatures: [] }),
  Layer.mock(Notifications)({}),
  Layer.mock(OrderCancellation)({}),
  Layer.mock(OrderPlacement)({}),
  Layer.mock(OAuthLimits)({}),
  Layer.mock(Orders)({}),
  Layer.mock(OwnSessions)({}),
  Layer.mock(OrderExports)({}),
  Layer.mock(DownloadLinks)({}),
  Layer.mock(Passkeys)({ isPossible: true }),
  Layer.mock(PasskeySignIn)({ offer: () => Effect.succeedNone }),
  Layer.mock(PasswordChanges)({}),
  Layer.mock(PasswordConfirmation)({}),
  Layer.mock(PaymentGateways)({ get: () => undefined }),
  Layer.mock(Payments)({}),
  Layer.mock(PromoCodes)({}),
  Layer.mock(ProxyHistory)({}),
  Layer.mock(ProxyManagement)({}),
  Layer.mock(ProxyTests)({}),
  Layer.mock(Reports)({}),
  Layer.mock(TodoList)({}),
  Layer.mock(SandboxPayments)({}),
  Layer.mock(SecondFactorChanges)({}),
  Layer.mock(SecondFactors)({}),
  Layer.mock(SigningKeys)({}),
  Layer.mock(SignIn)({}),
  Layer.mock(SignUp)({}),
  Layer.mock(Invites)({}),
  Layer.mock(Members)({ exist: Effect.succeed(false) }),
  Layer.mock(StaffAdjustments)({}),
  Layer.mock(StaffActions)({}),
  Layer.mock(StaffCredentials)({ isAddressAllowed: Effect.succeed(true) }),
  Layer.mock(StaffOrders)({}),
  Layer.mock(StaffOrderWork)({}),
  Layer.mock(StaffPayments)({}),
  Layer.mock(StaffDisputes)({}),
  Layer.mock(StaffDocuments)({}),
  Layer.mock(StaffTaxes)({}),
  Layer.mock(StaffPayouts)({}),
  Layer.mock(StaffRefunds)({}),
  Layer.mock(StaffSignIn)({ clean: Effect.void }),
  Layer.mock(StaffTokens)({}),
  Layer.mock(TokenRefresh)({}),
  Layer.mock(TokenRevocation)({}),
  Layer.mock(ToolAuthentication)({}),
  Layer.mock(ToolServer)({ answer: Effect.die("ToolServer is a mock"), read: () => undefined }),
  Layer.mock(ToolSessions)({}),
  Layer.mock(TrafficUsage)({}),
  Layer.mock(Users)({ rows: () => ({}) }),
  Layer.mock(VerifiedBuyers)({}),
  Layer.mock(Wallets)({}),
  Layer.mock(WalletTransactions)({}),
  Layer.mock(WebhookLog)({}),
  Layer.mock(Webhooks)({}),
  Layer.mock(WebhookTests)({})
)
