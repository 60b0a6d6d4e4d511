import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"

/** Wraps a command so that a shell runs it on the Node that `npm ci` installs. */
export const commandThatWorks = (command: string) => `npx -c '${command}'`

/** Shows help when the operator asks for it. The message about an invalid command comes without help. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag === "InvalidInvocation") return Effect.void
    if (event._tag === "Version") return CliOutput.defaultPresenter.present(event)
    const helpDoc = { ...event.helpDoc, usage: commandThatWorks(event.helpDoc.usage) }
    return CliOutput.defaultPresenter.present({ ...event, helpDoc })
  }
}

/**
 * Output and built-in flags of the command line. Shell completions are off, because the program's name is not a shell
 * command.
 */
export const layer = Layer.merge(
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.LogLevel] })
)
