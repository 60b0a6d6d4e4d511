import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { availableParallelism } from "node:os"
import { AccountLookUp } from "../accounts/AccountLookUp.ts"
import { LostPasskeys } from "../accounts/passkeys/LostPasskeys.ts"
import { SecondFactors } from "../accounts/second-factor/SecondFactors.ts"
import { SigningKeys } from "../accounts/sessions/SigningKeys.ts"
import { Catalog } from "../catalog/Catalog.ts"
import { Flags } from "../flags/Flags.ts"
import { BlocklistSync } from "../ip-check/blocklists/BlocklistSync.ts"
import { OAuthEvents } from "../oauth/OAuthEvents.ts"
import * as BrandFolder from "../brand/BrandFolder.ts"
import * as Database from "../platform/postgres/Database.ts"
import * as Logging from "../platform/Logging.ts"
import { Worker } from "../platform/workers/Worker.ts"
import { Shop } from "../shop/Shop.ts"
import { Audit } from "../staff/audit/Audit.ts"
import { Reports } from "../staff/reports/Reports.ts"
import { PaymentReversals } from "../wallet/payments/PaymentReversals.ts"
import { PromoCodeRegistry } from "../wallet/promo-codes/PromoCodeRegistry.ts"
import { Wallets } from "../wallet/Wallets.ts"
import { blocklists } from "./BlocklistsCommand.ts"
import { brand } from "./BrandCommand.ts"
import * as CommandHelp from "./CommandHelp.ts"
import { flags } from "./FlagsCommand.ts"
import * as NpmFlag from "./NpmFlag.ts"
import { oauth } from "./OAuthCommand.ts"
import { promoCodes } from "./PromoCodesCommand.ts"
import { report } from "./ReportCommand.ts"
import { reversals } from "./ReversalsCommand.ts"
import { secondFactor } from "./SecondFactorCommand.ts"
import { prices, shop } from "./ShopCommand.ts"
import { signingKeys } from "./SigningKeysCommand.ts"
import * as StartFailure from "./StartFailure.ts"
import * as WorkerCount from "./WorkerCount.ts"

// The processes of the service load only the modules that they run.
const serve = Command.make(
  "serve",
  {
    gateway: Flag.Boolean("gateway").pipe(
      Flag.withDefault(true),
      Flag.withDescription("Run the built-in gateway too (default); use --no-gateway when a gateway runs elsewhere")
    ),
    force: Flag.Boolean("force").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Start although a check refuses it, and log the check; see the doctor command")
    ),
    workers: Flag.String("workers").pipe(
      Flag.withSchema(WorkerCount.WorkerCount),
      Flag.optional,
      Flag.withMetavar("number"),
      Flag.withDescription(
        "Processes that share the port on this machine: 1 to 32, or auto for one each core; default: WORKERS, else 1"
      )
    )
  },
  Effect.fnUntraced(function* (options) {
    const workers = yield* Option.match(options.workers, { onNone: () => WorkerCount.setting, onSome: Effect.succeed })
    const isWorker = (yield* Worker) !== undefined
    const isAlone = workers === 1 || (workers === "auto" && availableParallelism() === 1)
    if (isWorker || isAlone) return yield* (yield* Effect.promise(() => import("./Serve.ts"))).run(options)
    return yield* (yield* Effect.promise(() => import("./Workers.ts"))).run({ ...options, workers })
  })
).pipe(Command.withDescription("Run the service: API, dashboard, background jobs and the built-in gateway"))

const gateway = Command.make("gateway", {}, () =>
  Effect.flatMap(
    Effect.promise(() => import("../gateway/process/Gateway.ts")),
    ({ layer }) => Layer.launch(layer.pipe(Layer.provide(Database.layerConnected)))
  )
).pipe(Command.withDescription("Run only a gateway, for a service that uses the same database"))

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
const forFlags = Layer.merge(AccountLookUp.layer, Flags.layer).pipe(Layer.provide(Database.layerPresent))

const forOAuth = Layer.merge(AccountLookUp.layer, OAuthEvents.layer).pipe(Layer.provide(Database.layerPresent))

const forPromoCodes = Layer.merge(Catalog.layer, PromoCodeRegistry.layer).pipe(
  Layer.provide(Flags.layer),
  Layer.provide([Database.layerPresent, NodeCrypto.layer])
)

const forBlocklists = BlocklistSync.layer.pipe(Layer.provide([Database.layerPresent, NodeHttpClient.layerNodeHttp]))

const forReports = Reports.layer.pipe(
  Layer.provide(Audit.layer),
  Layer.provide(Database.layerPresent)
)

const forReversals = Layer.merge(AccountLookUp.layer, PaymentReversals.layer).pipe(
  Layer.provide(Wallets.layer),
  Layer.provide(Database.layerPresent)
)

const forSecondFactor = Layer.mergeAll(AccountLookUp.layer, LostPasskeys.layer, SecondFactors.layer).pipe(
  Layer.provide(BrandFolder.layer),
  Layer.provide(Database.layerPresent)
)

const forShop = Shop.layer.pipe(Layer.provide(Database.layerPresent))

const forSigningKeys = SigningKeys.layer.pipe(Layer.provide(Database.layerPresent))

const program = Command.make("node src/main.ts").pipe(
  Command.withDescription("Proxy Rental Service: run it and administer it"),
  Command.withSubcommands([
    serve,
    gateway,
    migrate,
    reconcile,
    doctor,
    blocklists(forBlocklists),
    brand,
    flags(forFlags),
    oauth(forOAuth),
    prices(forShop),
    promoCodes(forPromoCodes),
    report(forReports),
    reversals(forReversals),
    secondFactor(forSecondFactor),
    shop(forShop),
    signingKeys(forSigningKeys)
  ])
)

/** Runs the command with these words after the program's name. */
export const run = (words: ReadonlyArray<string>) =>
  Effect.andThen(NpmFlag.check(words), Command.runWith(program, { version: "1.0.0" })(words)).pipe(
    Effect.provide([Logging.layer, CommandHelp.layer]),
    StartFailure.report,
    Effect.provide(NodeServices.layer)
  )

/** Runs the command that started this process. */
export const main = () =>
  NodeRuntime.runMain(run(process.argv.slice(2)), { disableErrorReporting: true, teardown: StartFailure.exitCode })
