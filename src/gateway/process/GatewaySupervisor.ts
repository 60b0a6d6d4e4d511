import { Duration, Effect, Layer } from "effect"
import { type ChildProcess, spawn } from "node:child_process"

interface Options {
  /** The program to run. `args` makes it a gateway. */
  readonly main: string
  readonly args: ReadonlyArray<string>
  /** Variables in addition to the inherited ones. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * Matches the variables that a gateway gets: the database, its own settings, and the settings of the runtime. The gateway
 * is open to the internet, so it gets no other variable, such as the keys of providers and payment gateways.
 */
const inheritedNames =
  /^(?:DATABASE_URL|DATABASE_POOL|DATA_DIR|LOG_FORMAT|LOG_LEVEL|PATH|LD_LIBRARY_PATH|SSL_CERT_FILE|USER|USERNAME|HOME|TMPDIR|TZ|LANG|(?:GATEWAY|NODE|XDG)_\w+)$/

const stopTimeout = Duration.seconds(2)
const leastPauseMillis = 200
const mostPauseMillis = 5_000
/** After a gateway has run for this time, the next pause is short again. */
const steadyMillis = 30_000

const inherited = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => inheritedNames.test(name)))

/**
 * Starts the child. The child ends when the pipe to its standard input closes. The system closes the pipe even when this
 * process is killed, so no gateway is left behind. The child has its own process group, so that Ctrl-C reaches only the
 * service, which then finishes its requests first.
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

/** Runs one gateway until it ends, and returns its lifetime in milliseconds. */
const runOnce = (options: Options) =>
  Effect.acquireUseRelease(
    start(options),
    Effect.fnUntraced(function* (child) {
      const startedAt = performance.now()
      yield* Effect.logInfo(`The gateway runs as process ${child.pid}`)
      const how = yield* ended(child)
      yield* Effect.logError(`The gateway process ended (${how}); restarting it`)
      return performance.now() - startedAt
    }),
    stop
  )

/** Keeps a gateway process running beside the service. The process ends with the layer. */
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
