import { Data, Deferred, Duration, Effect, Exit, FiberSet, Layer } from "effect"
import { fork } from "node:child_process"
import * as fs from "node:fs"
import { createServer } from "node:net"
import { availableParallelism, tmpdir } from "node:os"
import * as path from "node:path"
import { keepRunning } from "../platform/KeepProcess.ts"
import * as ConnectionNeeds from "../platform/postgres/ConnectionNeeds.ts"
import * as Database from "../platform/postgres/Database.ts"
import { patiently } from "../platform/postgres/DatabasePatience.ts"
import * as RateLimitPrimary from "../platform/requests/RateLimitPrimary.ts"
import { ListeningHost, ListeningPort } from "../platform/settings/Addresses.ts"
import { environmentOf, type Worker } from "../platform/workers/Worker.ts"
import * as Doctor from "./Doctor.ts"
import * as GatewayBeside from "./GatewayBeside.ts"
import * as LastResort from "./LastResort.ts"
import type { WorkerCount } from "./WorkerCount.ts"
import * as WorkerLifeline from "./WorkerLifeline.ts"

/** The first worker of a start ended before it listened. It has printed the reason. */
class WorkerFailed extends Data.TaggedError("WorkerFailed")<{ readonly number: number; readonly how: string }> {
  override get message() {
    return `Worker ${this.number} did not start (${this.how}); the lines above say why`
  }
}

class TooManyWorkers extends Data.TaggedError("TooManyWorkers")<{ readonly needed: number; readonly allowed: number }> {
  override get message() {
    return `WORKERS: all processes together need ${this.needed} connections, and PostgreSQL allows ${this.allowed}: choose fewer workers or a smaller DATABASE_POOL, or raise max_connections`
  }
}

const countOf = Effect.fnUntraced(function* (
  wanted: WorkerCount,
  { connections, pool }: Effect.Success<typeof Database.shared>
) {
  // The primary process and the gateway have a pool too.
  const fitting = ConnectionNeeds.fitting(connections, pool) - 2
  if (wanted === "auto") return Math.max(1, Math.min(availableParallelism(), fitting))
  if (wanted > fitting)
    return yield* new TooManyWorkers({ needed: ConnectionNeeds.needed(wanted + 2, pool), allowed: connections })
  return wanted
})

const privateDirectory = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), "proxy-rental-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

/** The port cannot be used: another program has it, or this system does not let processes share one. */
class PortUnusable extends Data.TaggedError("PortUnusable")<{ readonly cause: NodeJS.ErrnoException }> {
  override get message() {
    return `WORKERS: ${this.cause.code === "ENOTSUP" ? "this system does not let processes share a port (SO_REUSEPORT); run one worker" : this.cause.message}`
  }
}

/**
 * Finds the port. Processes of one account could share a port by mistake, so this fails while another service has it.
 */
const findPort = Effect.fnUntraced(function* (host: string, port: number) {
  const bind = (address: { readonly port: number; readonly reusePort?: boolean }) =>
    Effect.callback<number, PortUnusable>((resume) => {
      const server = createServer()
      server.once("error", (cause) => resume(Effect.fail(new PortUnusable({ cause }))))
      server.listen({ host, ...address }, () => {
        const bound = server.address()
        server.close(() => resume(Effect.succeed(typeof bound === "object" && bound !== null ? bound.port : port)))
      })
    })
  const free = yield* bind({ port })
  return yield* bind({ port: free, reusePort: true })
})

/** Keeps one worker running, with a successor for each that ends. Waits until the first one answers. */
const makeKeep = Effect.gen(function* () {
  const fibers = yield* FiberSet.make()
  const serveCounts = yield* RateLimitPrimary.makeServe
  const stopTimeout = yield* LastResort.time

  return Effect.fnUntraced(function* (worker: Omit<Worker, "isSuccessor">, environment: Record<string, string>) {
    const { number } = worker
    const answers = yield* Deferred.make<void, WorkerFailed>()
    let isSuccessor = false
    const start = () => {
      const [, main = "", ...words] = process.argv
      const env = { ...process.env, ...environment, ...environmentOf({ ...worker, isSuccessor }) }
      const child = fork(main, words, { env })
      child.on("error", () => {})
      child.on("message", (message) => {
        if (message === WorkerLifeline.ready) Deferred.doneUnsafe(answers, Exit.void)
      })
      serveCounts(child)
      isSuccessor = true
      return child
    }
    const follows = (how: string) => !Deferred.doneUnsafe(answers, Exit.fail(new WorkerFailed({ number, how })))
    yield* FiberSet.run(fibers, keepRunning({ name: `Worker ${number}`, start, stopTimeout, follows }))
    yield* Deferred.await(answers)
  })
})

/** Runs the workers. The first one reports what is wrong with the settings before the others start. */
const layerOf = (wanted: WorkerCount) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const database = yield* Database.shared
      const count = yield* countOf(wanted, database)
      const directory = yield* privateDirectory
      const host = yield* ListeningHost
      const port = yield* findPort(host, yield* ListeningPort)
      const keep = yield* makeKeep
      const environment = { DATABASE_URL: database.url, PORT: String(port) }
      const start = (number: number) => keep({ number, count, directory }, environment)
      yield* start(1)
      const others = Array.from({ length: count - 1 }, (_, index) => start(index + 2))
      yield* Effect.all(others, { concurrency: "unbounded", discard: true })
      yield* Effect.logInfo(`All ${count} workers answer requests`)
    })
  )

interface Parts {
  /** True when the gateway runs beside the service. */
  readonly gateway: boolean
  /** True to start although the service would sell something false. */
  readonly force: boolean
  readonly workers: WorkerCount
}

/**
 * Runs the service in several processes that share the port of one machine (docs/instances.md, "Workers"). This process
 * runs the database, the gateway and the count of the rate limits. Each worker answers requests like an instance.
 */
export const run = Effect.fnUntraced(function* ({ force, gateway, workers }: Parts) {
  // The workers end first, and each may need all of its time.
  yield* LastResort.armWith(Duration.seconds(4))
  const started = Layer.launch(Layer.provide(layerOf(workers), yield* GatewayBeside.layerIf(gateway)))
  const checked = Effect.andThen(Doctor.beforeStart({ force, gateway }), patiently(started, "the database"))
  return yield* Effect.provide(checked, Database.layer)
})
