import { Context, Effect, Layer } from "effect"
import { createHmac, randomBytes } from "node:crypto"
import * as Failure from "../../platform/errors/Failure.ts"
import { ConnectionLogDays } from "../GatewayConfig.ts"
import { NodeControl } from "../NodeControl.ts"
import { ConnectionLog, type LoggedConnection } from "./ConnectionLog.ts"

const writeInterval = "5 seconds"
const batch = 1_000
const answerTimeout = "5 seconds"
/** The time limit of the last records. The supervisor gives the whole gateway 2 seconds to end. */
const lastRecordsTimeout = "1 second"
/** The bytes of the HMAC that are kept. */
const macBytes = 16

const dayOf = (millis: number) => new Date(millis).toISOString().slice(0, 10)

/** The keys that stay in memory: of today, and of the days on which open connections began. */
const maxKeys = 100

/** Replaces the address of a destination by its HMAC with the key of its day. */
const makeSeal = (repo: NodeControl["Service"]["log"]) => {
  const keys = new Map<string, Uint8Array>()
  const keyOf = Effect.fnUntraced(function* (day: string) {
    const known = keys.get(day) ?? (yield* repo.keyOf(day, randomBytes(32)))
    if (keys.size >= maxKeys) keys.clear()
    keys.set(day, known)
    return known
  })
  const seal = Effect.fnUntraced(function* ({ destination, opened_at, seen_at, ...logged }: LoggedConnection) {
    const mac = createHmac("sha256", yield* keyOf(dayOf(opened_at)))
      .update(destination)
      .digest()
      .subarray(0, macBytes)
    const times = { opened_at: new Date(opened_at).toISOString(), seen_at: new Date(seen_at).toISOString() }
    return { ...logged, ...times, mac: mac.toString("hex") }
  })
  return { keyOf, seal }
}

const makeWrite = (log: ConnectionLog, repo: NodeControl["Service"]["log"]) => {
  const { keyOf, seal } = makeSeal(repo)
  const writeBatch = (taken: ReadonlyArray<LoggedConnection>, dropped: number) =>
    Effect.gen(function* () {
      if (taken.length > 0) yield* repo.write(yield* Effect.forEach(taken, seal))
      if (dropped === 0) return
      const today = dayOf(Date.now())
      yield* keyOf(today)
      yield* repo.countDropped(today, dropped)
      yield* Effect.logWarning(`The log of shared exit addresses lacks ${dropped} connections`)
    }).pipe(
      Effect.timeout(answerTimeout),
      Effect.onError(() => Effect.sync(() => log.giveBack(taken, dropped)))
    )
  return Effect.gen(function* () {
    log.refresh()
    while (!log.isEmpty) yield* writeBatch(log.take(batch), log.takeDropped())
  })
}

const failed = (what: string) => Effect.catchCause((cause) => Effect.logWarning(...Failure.logLine(what, cause)))

/**
 * Records the connections of proxies that share their exit address, in batches. `log` is undefined when
 * `CONNECTION_LOG_DAYS` is 0.
 */
export class ConnectionLogWriter extends Context.Service<
  ConnectionLogWriter,
  { readonly log: ConnectionLog | undefined }
>()("app/gateway/ConnectionLogWriter") {
  static readonly layer = Layer.effect(
    ConnectionLogWriter,
    Effect.gen(function* () {
      if ((yield* ConnectionLogDays) === 0) return ConnectionLogWriter.of({ log: undefined })
      const log = new ConnectionLog()
      const write = makeWrite(log, (yield* NodeControl).log)
      yield* Effect.addFinalizer(() =>
        Effect.andThen(
          Effect.sync(() => log.closeAll()),
          write
        ).pipe(Effect.timeout(lastRecordsTimeout), failed("Cannot record the last connections"))
      )
      yield* write.pipe(
        failed("Cannot record connections; trying again in 5 seconds"),
        Effect.delay(writeInterval),
        Effect.forever,
        Effect.forkScoped
      )
      return ConnectionLogWriter.of({ log })
    })
  )
}
