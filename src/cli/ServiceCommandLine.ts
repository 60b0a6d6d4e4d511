import { Command } from "effect/cli"
import { gateway } from "./GatewayCommand.ts"
import * as RunCommand from "./RunCommand.ts"
import { serve } from "./ServeCommand.ts"

const program = Command.make("node src/main.ts").pipe(Command.withSubcommands([serve, gateway]))

/** Runs the command of the service that started this process: `serve` or `gateway`. */
export const main = () => RunCommand.main((words) => RunCommand.run(program, words))
