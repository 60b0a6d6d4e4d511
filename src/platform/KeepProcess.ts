import { type Duration, Effect } from "effect"
import type { ChildProcess } from "node:child_process"

interface Options {
  /** Names the process in the log, such as `The gateway`. */
  readonly name: string
  readonly start: () => ChildProcess
  /** Time that a process gets to stop. */
  readonly stopTimeout: Duration.Duration
  /** True when another process follows the one that ended. By default one always does. */
  readonly follows?: (how: string) => boolean
}

const leastPauseMillis = 200
const mostPauseMillis = 5_000
/** After a process has run for this time, the next pause is short again. */
const steadyMillis = 30_000

const hasEnded = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null || child.pid === undefined

const ended = (child: ChildProcess) =>
  Effect.callback<string>((resume) => {
    const end = () => resume(Effect.succeed(child.signalCode ?? `exit code ${child.exitCode}`))
    if (hasEnded(child)) return void end()
    child.once("exit", end)
    return Effect.sync(() => void child.off("exit", end))
  })

const stop = (child: ChildProcess, within: Duration.Duration) =>
  Effect.suspend(() => {
    child.kill("SIGTERM")
    return Effect.timeoutOrElse(ended(child), {
      duration: within,
      orElse: () => Effect.sync(() => child.kill("SIGKILL"))
    })
  })

/** Starts a child process, and another one whenever it ends, until the effect is interrupted. */
export const keepRunning = Effect.fnUntraced(function* ({ follows = () => true, name, start, stopTimeout }: Options) {
  const once = Effect.acquireUseRelease(
    Effect.sync(start),
    Effect.fnUntraced(function* (child) {
      yield* Effect.logInfo(`${name} runs as process ${child.pid}`)
      return yield* ended(child)
    }),
    (child) => stop(child, stopTimeout)
  )
  for (let pauseMillis = leastPauseMillis; ;) {
    const startedAt = performance.now()
    const how = yield* once
    if (!follows(how)) return
    yield* Effect.logError(`${name} ended (${how}); restarting it`)
    const isSteady = performance.now() - startedAt > steadyMillis
    pauseMillis = isSteady ? leastPauseMillis : Math.min(pauseMillis * 2, mostPauseMillis)
    yield* Effect.sleep(pauseMillis)
  }
})
