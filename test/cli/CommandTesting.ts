import { ConfigProvider, Console, Effect, Result } from "effect"
import { type CliError, Command } from "effect/cli"
import * as CommandLine from "../../src/cli/CommandLine.ts"
import * as StartFailure from "../../src/cli/StartFailure.ts"

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

/** Runs the program with these variables and words. */
export type Run = (
  env: Record<string, string>,
  ...words: ReadonlyArray<string>
) => Effect.Effect<{ code: unknown; stdout: string; stderr: string }>

/** Runs the program in this process, because another process takes a second of the processor to start. */
export const run: Run = Effect.fnUntraced(function* (env, ...words) {
  let [stdout, stderr] = ["", ""]
  const console = {
    ...(yield* Console.Console),
    log: (...texts: ReadonlyArray<unknown>) => void (stdout += `${texts.join(" ")}\n`),
    error: (...texts: ReadonlyArray<unknown>) => void (stderr += `${texts.join(" ")}\n`)
  }
  const exit = yield* CommandLine.run(words).pipe(
    Effect.provideService(Console.Console, console),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.exit
  )
  let code = -1
  StartFailure.exitCode(exit, (given) => (code = given))
  return { code, stdout, stderr }
})
