import { Duration, Effect, Redacted, Schedule, Scope } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { attempt, EmbeddedPostgresFailed } from "./EmbeddedPostgresFailed.ts"
import * as PostgresInstallation from "./PostgresInstallation.ts"
import * as PostgresPassword from "./PostgresPassword.ts"
import type { ProgramsModule } from "./PostgresRuntime.ts"
import * as PostgresServer from "./PostgresServer.ts"

export interface Options {
  /** Directory of the data, the socket and the log. */
  readonly directory: string
  /** Server settings in addition to the defaults. */
  readonly settings?: Readonly<Record<string, string>>
  readonly from?: ProgramsModule
  /** True when the server requires passwords; otherwise every account that can open the socket has all rights. */
  readonly secured?: boolean
}

/** Connection settings of the server: a socket that only its own account can open. */
export interface EmbeddedPostgres {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly database: string
  /** Present when the server requires passwords. */
  readonly password?: Redacted.Redacted
}

const defaults = {
  // Enough for two processes with the largest pool and several with the default pool.
  max_connections: "300",
  // Reading a page at random costs little on an SSD. A connection keeps its plans, and with the default of 4 the plans of a
  // new database would scan its small tables until they have grown and their statistics are taken.
  random_page_cost: "1.1",
  // The server logs no statements, because they may hold personal data.
  log_min_messages: "log",
  log_checkpoints: "off",
  log_timezone: "UTC"
}

const startTimeout = Duration.seconds(60)
const stopTimeout = Duration.seconds(20)
const lookEvery = Duration.millis(250)
const logBytes = 1 << 20

/** Everything that one process needs to attach to the server or to start it. */
interface Starter {
  readonly installation: PostgresInstallation.PostgresInstallation
  readonly settings: Readonly<Record<string, string>>
}

const argsOf = ({ installation, settings }: Starter) => {
  const all = {
    ...defaults,
    ...settings,
    port: `${PostgresServer.port}`,
    listen_addresses: "",
    unix_socket_directories: installation.socketDirectory,
    unix_socket_permissions: "0700"
  }
  return ["-D", installation.data, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])]
}

const launch = (starter: Starter) =>
  attempt("starting the server", () => {
    const { account, bin, log } = starter.installation
    if ((fs.statSync(log, { throwIfNoEntry: false })?.size ?? 0) > logBytes) fs.renameSync(log, `${log}.1`)
    const descriptor = fs.openSync(log, "a", 0o600)
    try {
      const program = path.join(bin, "postgres")
      return PostgresServer.launch({ account, program, args: argsOf(starter), log: descriptor })
    } finally {
      fs.closeSync(descriptor)
    }
  })

const lastFatal = (log: string) =>
  fs
    .readFileSync(log, "utf8")
    .split("\n")
    .findLast((line) => line.includes("FATAL:"))
    ?.replace(/^.*FATAL: +/, "") ?? `see ${log}`

const isReady = Effect.fnUntraced(function* (postmaster: PostgresServer.Postmaster) {
  return postmaster.status === "ready" && (yield* PostgresServer.answers(postmaster.socketDirectory))
})

/** Finds the running server. Waits while the pid file cannot be read. */
const look = (data: string) =>
  Effect.catch(PostgresServer.find(data), ({ reason }) =>
    Effect.andThen(
      Effect.logWarning(`Cannot tell whether the embedded PostgreSQL runs (${reason}); waiting until this is known`),
      Effect.orDie(Effect.retry(PostgresServer.find(data), Schedule.spaced(lookEvery)))
    )
  )

/** Waits until the launched server accepts connections, or has ended. */
const started = Effect.fnUntraced(function* (data: string, launched: PostgresServer.Launched) {
  while (!(yield* launched.hasEnded)) {
    const found = yield* look(data)
    if (found !== undefined && found.pid === launched.pid() && (yield* isReady(found))) return found
    yield* Effect.sleep("10 millis")
  }
  return undefined
})

/**
 * Attaches to the server that runs on the data directory, or starts one. PostgreSQL refuses to share its directory, so
 * one of several processes starts the server and the others find it.
 */
const attachOrStart = Effect.fn("EmbeddedPostgres.attachOrStart")(
  function* (starter: Starter) {
    const { data, log } = starter.installation
    for (let failures = 0; failures < 5;) {
      const found = yield* look(data)
      if (found !== undefined) {
        if (yield* isReady(found)) return found
        yield* Effect.sleep("20 millis")
        continue
      }
      PostgresServer.removeMisleadingPidFile(data)
      const launched = yield* Effect.acquireRelease(launch(starter), (launched) =>
        Effect.ignore(Effect.timeout(launched.stop, stopTimeout))
      )
      const postmaster = yield* started(data, launched)
      if (postmaster !== undefined) return postmaster
      failures += 1
    }
    return yield* new EmbeddedPostgresFailed({ reason: `the server ended immediately (${lastFatal(log)})` })
  },
  Effect.timeoutOrElse({
    duration: startTimeout,
    orElse: () => new EmbeddedPostgresFailed({ reason: "the server was not ready within a minute" })
  })
)

/** Starts the server again after it has ended: it crashed, or the instance that started it has stopped. */
const keepRunning = Effect.fnUntraced(function* (
  starter: Starter,
  first: PostgresServer.Postmaster,
  servers: Scope.Scope
) {
  let current = first
  while (true) {
    while ((yield* look(starter.installation.data))?.pid === current.pid) yield* Effect.sleep(lookEvery)
    current = yield* attachOrStart(starter).pipe(
      Scope.provide(servers),
      Effect.tapError((error) => Effect.logError(error.message)),
      Effect.retry(Schedule.spaced("5 seconds"))
    )
    yield* Effect.logWarning(`The embedded PostgreSQL had ended and runs again as process ${current.pid}`)
  }
})

/**
 * Runs the embedded database server for the lifetime of the scope. The server ends with the process that started it,
 * also when that process is killed. Other instances on the same directory share the server, and one of them starts it
 * again.
 */
export const start = Effect.fn("EmbeddedPostgres.start")(function* (options: Options) {
  const settings = options.settings ?? {}
  const installation = yield* PostgresInstallation.prepare({
    directory: options.directory,
    from: options.from ?? import.meta.url,
    synced: settings["fsync"] !== "off"
  })
  const password = options.secured
    ? yield* PostgresPassword.secure(installation, options.directory, PostgresInstallation.username)
    : undefined
  const servers = yield* Scope.fork(yield* Scope.Scope)
  const first = yield* Scope.provide(attachOrStart({ installation, settings }), servers)

  // The pool knows one socket, so every later server uses the path of the first one.
  const { socketDirectory } = first
  yield* Effect.forkScoped(
    keepRunning({ installation: { ...installation, socketDirectory }, settings }, first, servers)
  )
  const server: EmbeddedPostgres = {
    host: socketDirectory,
    port: PostgresServer.port,
    username: PostgresInstallation.username,
    database: "postgres",
    ...(password !== undefined && { password: Redacted.make(password) })
  }
  return server
})
