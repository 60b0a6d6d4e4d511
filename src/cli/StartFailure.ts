import { Cause, Config, Console, Effect, Exit, Runtime } from "effect"
import { CliError } from "effect/cli"
import { isIPv6 } from "node:net"
import * as DatabaseFailure from "../platform/postgres/DatabaseFailure.ts"
import * as ExplainSetting from "../platform/settings/ExplainSetting.ts"
import { commandThatWorks } from "./CommandHelp.ts"

/** Finds the reason why a server does not listen, its address and its port. */
const listening = (error: unknown) => {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return { code: undefined, at: "", port: 0 }
  const { address = "", code, port = 0 } = { ...cause } as { address?: string; code?: unknown; port?: number }
  return { code, at: `${isIPv6(address) ? `[${address}]` : address}:${port}`, port }
}

const another = (port: number) => (port < 65_535 ? port + 1 : port - 1)

const unprefixed = (error: CliError.NonShowHelpErrors) =>
  error._tag === "InvalidValue"
    ? new CliError.InvalidValue({ ...error, expected: error.expected.replace(/^Schema validation failed: /, "") })
    : error

/** Explains a wrong command; empty for a command that has shown its help. */
const explainCommand = ({ commandPath, errors }: CliError.ShowHelp) =>
  errors.length === 0
    ? ""
    : `${errors.map((error) => unprefixed(error).message).join("; ")} (for help: ${commandThatWorks(`${commandPath.join(" ")} --help`)})`

/** True when the database answered at the start of the command, but not later. */
const isUnanswered = (error: unknown): error is Error =>
  DatabaseFailure.isUnavailable(error) && !(error instanceof DatabaseFailure.DatabaseUnusable)

/** Explains what stops a command. */
export const explain = (error: unknown): string => {
  if (error instanceof CliError.ShowHelp) return explainCommand(error)
  if (error instanceof Config.ConfigError) return ExplainSetting.explain(error)
  if (isUnanswered(error))
    return `The database does not answer (${DatabaseFailure.reasonOf(error)}); run the command again when it answers`
  const { at, code, port } = listening(error)
  if (code === "EADDRINUSE")
    return `PORT: ${at} is in use; start with another port (PORT=${another(port)} npm start), or stop the program that uses it`
  if (code === "EACCES") return `PORT: this account may not listen on ${at}; choose a port of 1024 or above`
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return "HOST is not an address of this machine; choose one of its addresses"
  return error instanceof Error ? error.message : String(error)
}

/** Prints a failure as one line on standard error, and logs a defect with its cause. */
export const report = <A, E, R>(command: Effect.Effect<A, E, R>) =>
  Effect.tapCause(command, (cause) => {
    const failure = cause.reasons.find(Cause.isFailReason)?.error ?? DatabaseFailure.unavailableIn(cause)
    if (failure !== undefined) {
      const line = explain(failure).replace(/\s*\n\s*/g, " ")
      return line === "" ? Effect.void : Console.error(line)
    }
    return Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("The program failed", cause)
  })

/**
 * Chooses the exit code: 0 for success and for a stop by a signal, which is the normal end of the service; else the
 * failure's own code or 1. A missing subcommand is a failure, although its help is shown.
 */
export const exitCode = <E, A>(exit: Exit.Exit<E, A>, onExit: (code: number) => void) =>
  onExit(
    Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
      ? 0
      : Runtime.getErrorExitCode(Cause.squash(exit.cause)) || 1
  )
