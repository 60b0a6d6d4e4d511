import { Duration, Effect, Layer } from "effect"
import { type ChildProcess, spawn } from "node:child_process"

interface Options {
  /** The program to run, the one that `args` makes a gateway. */
  readonly main: string
  readonly args: ReadonlyArray<string>
  /** Beside what this process's own environment has for a gateway. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * What a gateway may know: how to reach the database, what it is told about itself, and what the runtime reads. Every
 * other variable, with the keys of providers and payment gateways among them, stays away from the process that faces
 * strangers.
 */
const known =
  /^(?:DATABASE_URL|DATABASE_POOL|DATA_DIR|LOG_FORMAT|LOG_LEVEL|PATH|LD_LIBRARY_PATH|SSL_CERT_FILE|USER|USERNAME|HOME|TMPDIR|TZ|LANG|(?:GATEWAY|NODE|XDG)_\w+)$/

const stopTimeout = Duration.seconds(2)
const leastPauseMillis = 200
const mostPauseMillis = 5_000
/** A gateway that ran this long was well; its end is not one in a row of failed starts. */
const steadyMillis = 30_000

const inherited = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => known.test(name)))

/**
 * The child ends when the pipe to its standard input closes, and the system closes that even when
 * this process is killed: no gateway is orphaned. A group of its own keeps Ctrl-C away from it, so
 * that the service can finish its requests first.
 */
const start = ({ args, env, main }: Options) =>
  Effect.sync(() =>
    spawn(process.execPath, [main, ...args], {
      stdio: ["pipe", "inherit", "inherit"],
      detached: true,
      env: { ...inherited(), ...env, GATEWAY_SUPERVISED: "1" }
    }).on("error", () => {})
  )

const hasEnded = (child: ChildProcess) =>
  child.exitCode !== null || child.signalCode !== null || child.pid === undefined

const ended = (child: ChildProcess) =>
  Effect.callback<string>((resume) => {
    const end = () => resume(Effect.succeed(child.signalCode ?? `exit code ${child.exitCode}`))
    if (hasEnded(child)) return void end()
    child.once("exit", end)
    return Effect.sync(() => void child.off("exit", end))
  })

const stop = (child: ChildProcess) =>
  Effect.gen(function* () {
    child.kill("SIGTERM")
    yield* Effect.timeoutOrElse(ended(child), {
      duration: stopTimeout,
      orElse: () => Effect.sync(() => child.kill("SIGKILL"))
    })
  })

/** Runs one gateway until it ends, and answers how long it lived. */
const runOnce = (options: Options) =>
  Effect.acquireUseRelease(
    start(options),
    Effect.fnUntraced(function* (child) {
      const startedAt = performance.now()
      yield* Effect.logInfo(`The gateway runs as process ${child.pid}`)
      const how = yield* ended(child)
      yield* Effect.logError(`The gateway ended (${how}); starting it again`)
      return performance.now() - startedAt
    }),
    stop
  )

/** Keeps a gateway process running beside the service; it ends with the layer. */
export const layerWith = (options: Options) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      let pauseMillis = leastPauseMillis
      yield* runOnce(options).pipe(
        Effect.flatMap((livedMillis) => {
          pauseMillis = livedMillis > steadyMillis ? leastPauseMillis : Math.min(pauseMillis * 2, mostPauseMillis)
          return Effect.sleep(pauseMillis)
        }),
        Effect.forever,
        Effect.forkScoped
      )
    })
  )
