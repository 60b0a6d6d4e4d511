import { Console, Effect, Result } from "effect"
import { type CliError, Command } from "effect/cli"

const explain = (error: CliError.CliError | { readonly _tag: string; readonly message: string }): string =>
  "errors" in error ? error.errors.map(explain).join("; ") : error.message

/** The output of a command, or the reason why it fails. */
export const runner = <
  const Name extends string,
  Input,
  ContextInput,
  E extends { readonly _tag: string; readonly message: string },
  R
>(
  command: Command.Command<Name, Input, ContextInput, E, R>
) => {
  const run = Command.runWith(command, { version: "1.0.0", renderErrors: false })
  return Effect.fnUntraced(function* (line: string) {
    const printed: Array<string> = []
    const quiet = { ...(yield* Console.Console), log: (text: string) => void printed.push(text) }
    const result = yield* Effect.result(
      Effect.provideService(run(line.split(" ").filter((word) => word !== "")), Console.Console, quiet)
    )
    return Result.match(result, {
      onSuccess: () => printed.join("\n"),
      onFailure: (error) => `failed: ${explain(error)}`
    })
  })
}
