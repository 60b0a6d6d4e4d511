import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AccountLookUp } from "../accounts/AccountLookUp.ts"
import { LostPasskeys } from "../accounts/passkeys/LostPasskeys.ts"
import { SecondFactors } from "../accounts/second-factor/SecondFactors.ts"
import { SigningKeys } from "../accounts/sessions/SigningKeys.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { Flags } from "../flags/Flags.ts"
import { Nodes } from "../gateway/nodes/Nodes.ts"
import { BlocklistSync } from "../ip-check/blocklists/BlocklistSync.ts"
import { OAuthEvents } from "../oauth/OAuthEvents.ts"
import * as BrandFolder from "../brand/BrandFolder.ts"
import * as Database from "../platform/postgres/Database.ts"
import { AbuseDesk } from "../staff/abuse/AbuseDesk.ts"
import { RuleDesk } from "../staff/abuse/RuleDesk.ts"
import { AuditLog } from "../staff/audit/AuditLog.ts"
import { StaffDocuments } from "../staff/documents/StaffDocuments.ts"
import { StaffTaxes } from "../staff/documents/StaffTaxes.ts"
import { Invites } from "../staff/members/Invites.ts"
import { Members } from "../staff/members/Members.ts"
import { LimitDesk } from "../staff/money/LimitDesk.ts"
import { StaffAdjustments } from "../staff/money/StaffAdjustments.ts"
import { StaffPayouts } from "../staff/money/StaffPayouts.ts"
import { StaffTokens } from "../staff/members/StaffTokens.ts"
import { Shop } from "../shop/Shop.ts"
import { CustomerRestrictions } from "../staff/customers/CustomerRestrictions.ts"
import { Customers } from "../staff/customers/Customers.ts"
import { Audit } from "../staff/audit/Audit.ts"
import { PauseDesk } from "../staff/providers/PauseDesk.ts"
import { ProviderDesk } from "../staff/providers/ProviderDesk.ts"
import { ShopChanges } from "../staff/shop/ShopChanges.ts"
import { Reports } from "../staff/reports/Reports.ts"
import { TodoList } from "../staff/todo/TodoList.ts"
import { Disputes } from "../wallet/payments/Disputes.ts"
import { PaymentReversals } from "../wallet/payments/PaymentReversals.ts"
import { AnnouncementDesk } from "../staff/announcements/AnnouncementDesk.ts"
import { PromoCodeDesk } from "../staff/promo-codes/PromoCodeDesk.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { announce } from "./AnnounceCommand.ts"
import { abuse } from "./AbuseCommand.ts"
import { audit } from "./AuditCommand.ts"
import { blocklists } from "./BlocklistsCommand.ts"
import { brand } from "./BrandCommand.ts"
import { destinations } from "./DestinationsCommand.ts"
import { disputes } from "./DisputesCommand.ts"
import { documents } from "./DocumentsCommand.ts"
import { credits } from "./CreditsCommand.ts"
import { flags } from "./FlagsCommand.ts"
import { gateway } from "./GatewayCommand.ts"

import { limits } from "./LimitsCommand.ts"
import { nodes } from "./NodesCommand.ts"
import { oauth } from "./OAuthCommand.ts"
import { orders } from "./OrdersCommand.ts"
import { payments } from "./PaymentsCommand.ts"
import { payouts } from "./PayoutsCommand.ts"
import { promoCodes } from "./PromoCodesCommand.ts"
import { extend, pause, resume } from "./PauseCommand.ts"
import { providers } from "./ProvidersCommand.ts"
import { refunds } from "./RefundsCommand.ts"
import { report } from "./ReportCommand.ts"
import { reversals } from "./ReversalsCommand.ts"
import * as RunCommand from "./RunCommand.ts"
import { secondFactor } from "./SecondFactorCommand.ts"
import { prices, shop } from "./ShopCommand.ts"
import { serve } from "./ServeCommand.ts"
import { signingKeys } from "./SigningKeysCommand.ts"
import { staff } from "./StaffCommand.ts"
import { tax } from "./TaxCommand.ts"
import { todo } from "./TodoCommand.ts"
import { users } from "./UsersCommand.ts"

const migrate = Command.make("migrate", {}, () =>
  Effect.andThen(Effect.scoped(Layer.build(Database.layer)), Console.log("The database has all migrations"))
).pipe(Command.withDescription("Apply the database migrations and exit"))

const reconcile = Command.make(
  "reconcile",
  {
    payments: Flag.Int("payments").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3650 }))),
      Flag.withDefault(30),
      Flag.withMetavar("days"),
      Flag.withDescription("Age in days of the oldest payment to check with its gateway, 0 to 3650; default: 30")
    ),
    json: Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("Print one JSON object per line"))
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./Reconcile.ts")),
      ({ run }) => run(options)
    )
).pipe(
  Command.withDescription(
    "Compare balances with the ledger, orders with their providers, and payments with their gateways. Changes nothing. Exit code 1: something differs; 2: something could not be checked"
  )
)

const doctor = Command.make(
  "doctor",
  {
    json: Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("Print one JSON object per line")),
    online: Flag.Boolean("online").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Also ask PUBLIC_URL, when it is an address of another machine")
    )
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./Doctor.ts")),
      ({ run }) => run(options)
    )
).pipe(
  Command.withDescription(
    "Check the settings, the database and this machine for anything that would sell something false, lose money or mail. Exit code 1: warnings; 2: errors"
  )
)

// A subcommand builds its services only when it runs, and not to show help.
const forAbuse = AbuseDesk.layer.pipe(Layer.provide(Database.layerPresent))

const forDestinations = Layer.merge(AccountLookUp.layer, RuleDesk.layer).pipe(Layer.provide(Database.layerPresent))

const forDisputes = Disputes.layer.pipe(Layer.provide(Database.layerPresent))

const forFlags = Layer.mergeAll(AccountLookUp.layer, Audit.layer, Flags.layer).pipe(
  Layer.provideMerge(Database.layerPresent)
)

const forNodes = Layer.merge(Audit.layer, Nodes.layer).pipe(Layer.provideMerge(Database.layerPresent))

const forOAuth = Layer.merge(AccountLookUp.layer, OAuthEvents.layer).pipe(Layer.provide(Database.layerPresent))

const forPromoCodes = PromoCodeDesk.layer.pipe(
  Layer.provide(Catalog.layer),
  Layer.provide(Flags.layer),
  Layer.provideMerge(Database.layerPresent),
  Layer.provide(NodeCrypto.layer)
)

const forBlocklists = Layer.merge(Audit.layer, BlocklistSync.layer).pipe(
  Layer.provideMerge(Database.layerPresent),
  Layer.provide(NodeHttpClient.layerNodeHttp)
)

const forReports = Reports.layer.pipe(Layer.provide(Audit.layer), Layer.provide(Database.layerPresent))

const forReversals = Layer.mergeAll(AccountLookUp.layer, Audit.layer, PaymentReversals.layer).pipe(
  Layer.provide(Wallets.layer),
  Layer.provideMerge(Database.layerPresent)
)

const forSecondFactor = Layer.mergeAll(AccountLookUp.layer, Audit.layer, LostPasskeys.layer, SecondFactors.layer).pipe(
  Layer.provide(BrandFolder.layer),
  Layer.provideMerge(Database.layerPresent)
)

const forShop = Layer.merge(Shop.layer, ShopChanges.layer).pipe(Layer.provide(Database.layerPresent))

const forSigningKeys = Layer.merge(Audit.layer, SigningKeys.layer).pipe(Layer.provideMerge(Database.layerPresent))

const forUsers = Layer.mergeAll(AccountLookUp.layer, CustomerRestrictions.layer, Customers.layer).pipe(
  Layer.provide(BrandFolder.layer),
  Layer.provide(Database.layerPresent)
)

// The export of an account reads through many services, which load only for these commands.
const forCare = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("./CareServices.ts")),
    ({ layer }) => layer
  )
)

const forAnnouncements = AnnouncementDesk.layer.pipe(Layer.provide(Database.layerPresent))

const forAudit = AuditLog.layer.pipe(Layer.provide(Database.layerPresent))

const forStaff = Layer.mergeAll(Invites.layer, Members.layer, StaffTokens.layer).pipe(
  Layer.provide([Database.layerPresent, NodeCrypto.layer])
)

const forProviders = Layer.merge(PauseDesk.layer, ProviderDesk.layer).pipe(Layer.provide(Database.layerPresent))

const forTodo = TodoList.layer.pipe(Layer.provide(Database.layerPresent))

const forCredits = Layer.merge(AccountLookUp.layer, StaffAdjustments.layer).pipe(
  Layer.provide(Wallets.layer),
  Layer.provideMerge(Database.layerPresent)
)

const forLimits = LimitDesk.layer.pipe(Layer.provide(Database.layerPresent))

const forPayouts = StaffPayouts.layer.pipe(
  Layer.provide(Wallets.layer),
  Layer.provide(BrandFolder.layer),
  Layer.provideMerge(Database.layerPresent)
)

const forDocuments = StaffDocuments.layer.pipe(
  Layer.provide(BrandFolder.layer),
  Layer.provideMerge(Database.layerPresent)
)

const forTaxes = Layer.merge(AccountLookUp.layer, StaffTaxes.layer).pipe(Layer.provide(Database.layerPresent))

// Providers and payment gateways load only for this command.
const forRefunds = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("./RefundServices.ts")),
    ({ layer }) => layer
  )
)

const forOrders = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("./OrderServices.ts")),
    ({ layer }) => layer
  )
)

const program = Command.make("node src/main.ts").pipe(
  Command.withDescription("Proxy Rental Service: run it and administer it"),
  Command.withSubcommands([
    serve,
    gateway,
    migrate,
    reconcile,
    doctor,
    abuse(forAbuse),
    announce(forAnnouncements),
    audit(forAudit),
    blocklists(forBlocklists),
    brand,
    destinations(forDestinations),
    disputes(forDisputes),
    credits(forCredits),
    documents(forDocuments),
    flags(forFlags),
    limits(forLimits),
    nodes(forNodes),
    oauth(forOAuth),
    orders(forOrders),
    payments(forOrders),
    payouts(forPayouts),
    extend(forProviders),
    pause(forProviders),
    prices(forShop),
    promoCodes(forPromoCodes),
    providers(forProviders),
    refunds(forRefunds),
    report(forReports),
    resume(forProviders),
    reversals(forReversals),
    secondFactor(forSecondFactor),
    shop(forShop),
    signingKeys(forSigningKeys),
    staff(forStaff),
    tax(forTaxes),
    todo(forTodo),
    users(forUsers, forCare)
  ])
)

/** Runs the command with these words after the program's name. */
export const run = (words: ReadonlyArray<string>) => RunCommand.run(program, words)

/** Runs the command that started this process. */
export const main = () => RunCommand.main(run)
