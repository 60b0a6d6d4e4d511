import { Effect, Latch, Queue, Stream } from "effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as Failure from "../../platform/errors/Failure.ts"
import type { NodeEvent } from "../NodeRpcs.ts"
import type { CentreClock } from "./CentreClock.ts"
import * as KnownConfig from "./KnownConfig.ts"
import type { MeterJournal } from "./MeterJournal.ts"
import type * as NodeLink from "./NodeLink.ts"
import type { Replica } from "./Replica.ts"

/** The version of this program that the centre sees. */
const program = "1"
const heartbeatInterval = "10 seconds"
const saveInterval = "10 seconds"
/** Versions are acknowledged at most this often. */
const ackPause = "500 millis"
/** Without an answer of the centre in this time, the node serves what it knows. */
const patience = "5 seconds"
/** The payload that stands for changed rules. */
const rulesChanged = "00000000-0000-0000-0000-000000000000"

/** Names the run of the operating system. A name of its own for each process where the system has none. */
const bootId = (): string => {
  try {
    return fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return randomUUID()
  }
}

interface Parts {
  readonly directory: string
  readonly link: Effect.Success<ReturnType<typeof NodeLink.make>>
  readonly clock: CentreClock
  readonly replica: Replica
  readonly journal: MeterJournal
  /** The epoch of this process's reports. */
  readonly running: { epoch: string | null }
}

/** Writes what this node serves, when it has changed. */
const makeSave = ({ clock, directory, replica }: Parts) => {
  let saved = ""
  return Effect.suspend(() => {
    const known = `${replica.version} ${replica.rules.version}`
    if (known === saved) return Effect.void
    saved = known
    return KnownConfig.write(directory, replica, clock)
  }).pipe(
    Effect.catchCause((cause) => Effect.logError(...Failure.logLine("Cannot write what this node serves", cause)))
  )
}

/** The calls of one connection. */
const makeCalls = ({ clock, journal, link, replica, running }: Parts) => {
  const boot_id = bootId()
  const { client } = link
  return {
    hello: Effect.gen(function* () {
      const from = Date.now()
      const ended = journal.former(running.epoch)
      const { now } = yield* client.Hello({ program, boot_id, epoch: running.epoch, ended })
      clock.hear(now, from)
      journal.forget(running.epoch)
    }),
    beat: Effect.gen(function* () {
      const from = Date.now()
      const { now } = yield* client.Heartbeat({ served: replica.proxies.length, offset_ms: Math.round(clock.offset) })
      clock.hear(now, from)
    }),
    watch: Effect.suspend(() => {
      replica.restart()
      return Effect.succeed(client.Watch({ have: replica.version }))
    })
  }
}

/** Keeps what this node knows current, over all connections to the centre. */
export const make = Effect.fnUntraced(function* (parts: Parts) {
  const { clock, link, replica } = parts
  const { beat, hello, watch } = makeCalls(parts)
  const save = makeSave(parts)
  const changes = yield* Queue.unbounded<{ readonly payload: string }>()
  /** Open when the centre knows this process. */
  const ready = Latch.makeUnsafe(false)
  const loaded = Latch.makeUnsafe(false)
  const acks = yield* Queue.sliding<bigint>(1)
  let isQuiet = false

  const announce = (ids: ReadonlyArray<string>) =>
    Queue.offerAll(
      changes,
      ids.map((payload) => ({ payload }))
    )

  const apply = Effect.fnUntraced(function* (event: NodeEvent) {
    const { changed, gap, isCurrent } = replica.apply(event)
    if (gap) {
      replica.version = null
      return yield* Effect.die(new Error("Changes are missing; asking for all proxies"))
    }
    yield* announce(event._tag === "Rules" ? [rulesChanged] : changed)
    if (isCurrent) yield* loaded.open
    if (event._tag === "Delta" || isCurrent) yield* Queue.offer(acks, replica.version ?? 0n)
  })

  const acknowledge = Queue.take(acks).pipe(
    Effect.flatMap((version) => link.client.Ack({ version })),
    Effect.andThen(Effect.sleep(ackPause)),
    Effect.forever
  )

  const session = Effect.gen(function* () {
    yield* link.connected.await
    yield* hello
    yield* ready.open
    yield* Effect.raceAllFirst([
      Effect.flatMap(watch, Stream.runForEach(apply)),
      acknowledge,
      Effect.forever(Effect.andThen(beat, Effect.sleep(heartbeatInterval)))
    ])
  }).pipe(
    Effect.ensuring(ready.close),
    Effect.catchCause((cause) =>
      Effect.logWarning(...Failure.logLine("The connection to the centre ended; serving on without it", cause))
    ),
    Effect.andThen(Effect.sleep("300 millis")),
    Effect.forever
  )

  /** Reads all proxies again when the centre falls silent or comes back, because their ends move by the grace. */
  const watchSilence = Effect.suspend(() => {
    if (clock.isQuiet === isQuiet) return Effect.void
    isQuiet = clock.isQuiet
    return announce(replica.proxies.map(({ id }) => id))
  })

  yield* Effect.forkScoped(session)
  yield* Effect.addFinalizer(() => save)
  yield* Effect.forkScoped(
    Effect.sleep(saveInterval).pipe(Effect.andThen(watchSilence), Effect.andThen(save), Effect.forever)
  )
  yield* Effect.forkScoped(Effect.andThen(Effect.sleep(patience), loaded.open))

  return { changes, loaded: loaded.await, ready: ready.await }
})
