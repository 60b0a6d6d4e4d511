import { Duration, Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import { getCompileCacheDir } from "node:module"
import { keepRunning } from "../../platform/KeepProcess.ts"

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
  /^(?:CONNECTION_LOG_DAYS|DATABASE_URL|DATABASE_POOL|DATA_DIR|LOG_FORMAT|LOG_LEVEL|PATH|LD_LIBRARY_PATH|SSL_CERT_FILE|USER|USERNAME|HOME|TMPDIR|TZ|LANG|(?:GATEWAY|NODE|XDG)_\w+)$/

const inherited = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => inheritedNames.test(name)))

/** With the cache of compiled code from its first line on, the child never loads the compiler, which takes 10 MiB. */
const compiled = () => {
  const directory = getCompileCacheDir()
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory }
}

/**
 * Starts the child. The child ends when the pipe to its standard input closes. The system closes the pipe even when this
 * process is killed, so no gateway is left behind. The child has its own process group, so that Ctrl-C reaches only the
 * service, which then finishes its requests first.
 */
const start = ({ args, env, main }: Options) =>
  spawn(process.execPath, [main, ...args], {
    stdio: ["pipe", "inherit", "inherit"],
    detached: true,
    env: { ...inherited(), ...compiled(), ...env, GATEWAY_SUPERVISED: "1" }
  }).on("error", () => {})

/** Keeps a gateway process running beside the service. The process ends with the layer. */
export const layerWith = (options: Options) =>
  Layer.effectDiscard(
    Effect.forkScoped(
      keepRunning({ name: "The gateway", start: () => start(options), stopTimeout: Duration.seconds(2) })
    )
  )
