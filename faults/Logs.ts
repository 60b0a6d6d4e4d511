import { Cause, Console, Effect, Exit } from "effect"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

const remove = (at: string) => fs.rmSync(at, { recursive: true, force: true, maxRetries: 5 })

/**
 * A temporary directory for a database (`postgres`) and for the logs of each run. Everything in it is removed with the
 * scope, except kept logs; the harness then prints their path.
 */
export const directory = Effect.acquireRelease(
  Effect.sync(() => {
    const directory = fs.mkdtempSync(path.join(tmpdir(), "proxy-rental-faults-"))
    // PostgreSQL may run under another account.
    fs.chmodSync(directory, 0o755)
    return { directory, postgres: path.join(directory, "postgres") }
  }),
  ({ directory, postgres }) =>
    Effect.suspend(() => {
      remove(postgres)
      const kept = fs.readdirSync(directory)
      if (kept.length === 0) fs.rmdirSync(directory)
      return Effect.forEach(kept, (name) => Console.log(`The logs are in ${path.join(directory, name)}`))
    })
)

/** True when logs help: the run violates an invariant, or it failed without an interruption. */
const areOfUse = (exit: Exit.Exit<{ readonly violations: ReadonlyArray<string> }, unknown>) =>
  Exit.isSuccess(exit) ? exit.value.violations.length > 0 : !Cause.hasInterruptsOnly(exit.cause)

/** Runs an effect that writes to the directory `logs`, and removes the directory afterwards unless it helps. */
export const keptIfOfUse = <A extends { readonly violations: ReadonlyArray<string> }, E, R>(
  run: Effect.Effect<A, E, R>,
  logs: string
) => Effect.onExit(run, (exit) => (areOfUse(exit) ? Effect.void : drop(logs)))

export const drop = (logs: string) => Effect.sync(() => remove(logs))
