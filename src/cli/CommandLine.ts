import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { UserId } from "../accounts/User.ts"
import { FlagName } from "../flags/Flag.ts"
import { Flags } from "../flags/Flags.ts"
import * as Database from "../platform/Database.ts"
import * as Logging from "../platform/Logging.ts"
import { PromoCodeRegistry } from "../wallet/PromoCodeRegistry.ts"
import { promoCodes } from "./PromoCodesCommand.ts"
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

const setFlag = Command.make(
  "set",
  {
    name: Argument.Literals("name", FlagName.literals),
    state: Argument.Literals("state", ["on", "off", "default"]),
    account: Flag.String("account").pipe(
      Flag.withSchema(UserId),
      Flag.optional,
      Flag.withDescription("For this account only; for the whole platform when absent")
    )
  },
  Effect.fn(
    function* ({ account, name, state }) {
      const flags = yield* Flags
      yield* flags.set(name, Option.getOrNull(account), state === "default" ? null : state === "on")
      yield* Console.log(`${name} is ${state}${Option.isSome(account) ? ` for ${account.value}` : ""}`)
    },
    Effect.provide(Flags.layer.pipe(Layer.provide(Database.layer)))
  )
).pipe(Command.withDescription("Switch a feature on or off, or back to its default"))

const flags = Command.make("flags").pipe(Command.withDescription("Feature flags"), Command.withSubcommands([setFlag]))

const promoCodesCommand = Command.provide(promoCodes, PromoCodeRegistry.layer.pipe(Layer.provide(Database.layer)))

Command.make("proxy-rental").pipe(
  Command.withDescription("Proxy Rental Service"),
  Command.withSubcommands([serve, gateway, migrate, flags, promoCodesCommand]),
  Command.run({ version: "1.0.0" }),
  Effect.provide(Logging.layer),
  StartFailure.report,
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: StartFailure.exitCode })
)
