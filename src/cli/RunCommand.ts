import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Logging from "../platform/Logging.ts"
import * as CommandHelp from "./CommandHelp.ts"
import * as NpmFlag from "./NpmFlag.ts"
import * as StartFailure from "./StartFailure.ts"

/** Runs a command of `program` with these words after the program's name. */
export const run = <Name extends string, Input, ContextInput, E, R>(
  program: Command.Command<Name, Input, ContextInput, E, R>,
  words: ReadonlyArray<string>
) =>
  Effect.andThen(NpmFlag.check(words), Command.runWith(program, { version: "1.0.0" })(words)).pipe(
    Effect.provide([Logging.layer, CommandHelp.layer]),
    StartFailure.report,
    Effect.provide(NodeServices.layer)
  )

/** Runs the command that started this process. */
export const main = (command: (words: ReadonlyArray<string>) => Effect.Effect<void, unknown>) =>
  NodeRuntime.runMain(command(process.argv.slice(2)), { disableErrorReporting: true, teardown: StartFailure.exitCode })
