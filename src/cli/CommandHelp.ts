import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"

/** Wraps a command so that a shell runs it on the Node that `npm ci` brings. */
export const commandThatWorks = (command: string) => `npx -c '${command}'`

/** Help is shown to whoever asks for it; what is wrong with a command is said without it. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag === "InvalidInvocation") return Effect.void
    if (event._tag === "Version") return CliOutput.defaultPresenter.present(event)
    const helpDoc = { ...event.helpDoc, usage: commandThatWorks(event.helpDoc.usage) }
    return CliOutput.defaultPresenter.present({ ...event, helpDoc })
  }
}

/** How the command line presents itself. It is no command of its own that a shell could complete. */
export const layer = Layer.merge(
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.LogLevel] })
)
