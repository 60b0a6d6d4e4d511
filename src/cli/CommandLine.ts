import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { AccountLookUp } from "../accounts/AccountLookUp.ts"
import { SigningKeys } from "../accounts/sessions/SigningKeys.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { Flags } from "../flags/Flags.ts"
import { BlocklistSync } from "../ip-check/blocklists/BlocklistSync.ts"
import { OAuthEvents } from "../oauth/OAuthEvents.ts"
import * as Database from "../platform/postgres/Database.ts"
import * as Logging from "../platform/Logging.ts"
import { PaymentReversals } from "../wallet/payments/PaymentReversals.ts"
import { PromoCodeRegistry } from "../wallet/promo-codes/PromoCodeRegistry.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { blocklists } from "./BlocklistsCommand.ts"
import * as CommandHelp from "./CommandHelp.ts"
import { flags } from "./FlagsCommand.ts"
import { oauth } from "./OAuthCommand.ts"
import { promoCodes } from "./PromoCodesCommand.ts"
import { reversals } from "./ReversalsCommand.ts"
import { signingKeys } from "./SigningKeysCommand.ts"
import * as StartFailure from "./StartFailure.ts"

// The service and the gateway are processes of their own: each loads only what it runs.
const serve = Command.make(
  "serve",
  {
    gateway: Flag.Boolean("gateway").pipe(
      Flag.withDefault(true),
      Flag.withDescription("Run the built-in gateway beside the service; --no-gateway when it runs elsewhere")
    )
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./Serve.ts")),
      ({ run }) => run(options)
    )
).pipe(Command.withDescription("Run the service"))

const gateway = Command.make("gateway", {}, () =>
  Effect.flatMap(
    Effect.promise(() => import("../gateway/Gateway.ts")),
    ({ layer }) => Layer.launch(layer.pipe(Layer.provide(Database.layerConnected)))
  )
).pipe(Command.withDescription("Run a gateway alone, beside a service on the same database"))

const migrate = Command.make("migrate", {}, () =>
  Effect.andThen(Effect.scoped(Layer.build(Database.layer)), Console.log("The database has the current schema"))
).pipe(Command.withDescription("Bring the database to the current schema and end"))

const reconcile = Command.make(
  "reconcile",
  {
    payments: Flag.Int("payments").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3650 }))),
      Flag.withDefault(30),
      Flag.withMetavar("days"),
      Flag.withDescription("How old the payments may be that gateways are asked about; 30 days when absent")
    ),
    json: Flag.Boolean("json").pipe(Flag.withDefault(false), Flag.withDescription("One JSON object a line"))
  },
  (options) =>
    Effect.flatMap(
      Effect.promise(() => import("./Reconcile.ts")),
      ({ run }) => run(options)
    )
).pipe(
  Command.withDescription(
    "Compare balances with the ledger, orders with their providers and payments with their gateways; 1 when something differs, 2 when something could not be asked"
  )
)

const forFlags = Layer.merge(AccountLookUp.layer, Flags.layer).pipe(Layer.provide(Database.layerPresent))

const forOAuth = Layer.merge(AccountLookUp.layer, OAuthEvents.layer).pipe(Layer.provide(Database.layerPresent))

const forPromoCodes = Layer.merge(Catalog.layer, PromoCodeRegistry.layer).pipe(
  Layer.provide(Flags.layer),
  Layer.provide([Database.layerPresent, NodeCrypto.layer])
)

const forBlocklists = BlocklistSync.layer.pipe(Layer.provide([Database.layerPresent, NodeHttpClient.layerNodeHttp]))

const forReversals = Layer.merge(AccountLookUp.layer, PaymentReversals.layer).pipe(
  Layer.provide(Wallets.layer),
  Layer.provide(Database.layerPresent)
)

const forSigningKeys = SigningKeys.layer.pipe(Layer.provide(Database.layerPresent))

const program = Command.make("node src/main.ts").pipe(
  Command.withDescription("Proxy Rental Service"),
  Command.withSubcommands([
    serve,
    gateway,
    migrate,
    reconcile,
    blocklists(forBlocklists),
    flags(forFlags),
    oauth(forOAuth),
    promoCodes(forPromoCodes),
    reversals(forReversals),
    signingKeys(forSigningKeys)
  ])
)

/** One command, with these words after the program's name. */
export const run = (words: ReadonlyArray<string>) =>
  Command.runWith(program, { version: "1.0.0" })(words).pipe(
    Effect.provide([Logging.layer, CommandHelp.layer]),
    StartFailure.report,
    Effect.provide(NodeServices.layer)
  )

/** The command that this process was started with. */
export const main = () =>
  NodeRuntime.runMain(run(process.argv.slice(2)), { disableErrorReporting: true, teardown: StartFailure.exitCode })
