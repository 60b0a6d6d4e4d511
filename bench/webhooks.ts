import { NodeRuntime } from "@effect/platform-node"
import { Console, DateTime, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Database from "../src/platform/postgres/Database.ts"
import * as EmbeddedPostgres from "../src/platform/postgres/EmbeddedPostgres.ts"
import { Wakes } from "../src/platform/postgres/Wakes.ts"
import { heading, type Latency, line, percentiles } from "./Latency.ts"
import { endpointsOf, type Group, orderIds, seedWebhooks } from "./SeededWebhooks.ts"
import { monotonicMillis } from "./WebhookArrivals.ts"
import * as WebhookProcesses from "./WebhookProcesses.ts"
import { Yardstick } from "./WebhookYardstick.ts"

const tries = 3
const warmUp = { perSecond: 50, seconds: 3 }
/** The time limit for the last deliveries of a load. */
const patience = "30 seconds"

/** Aims on an idle machine: milliseconds, and deliveries a second. */
const aims = { p95: 100, p99OfHealthy: 1000, rate: 1000 }

/** The allowed waits between three attempts, in seconds: a job picks them up once a minute, with a short delay. */
const gaps = [
  { least: 30, most: 91 },
  { least: 60, most: 121 }
]

const postgres = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "webhooks-bench-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  fs.chmodSync(directory, 0o755)
  return yield* EmbeddedPostgres.start({ directory })
})

type Receivers = Effect.Success<typeof WebhookProcesses.receivers>

const at = (port: number | undefined, path: string) => `http://127.0.0.1:${port}/${path}`

const groupsAt = ({ hanging, ports }: Receivers) => {
  const healthy: Group = {
    kind: "healthy",
    endpoints: 500,
    ordersEach: 20,
    deliveredEach: 200,
    urls: ports.map((port) => at(port, "healthy"))
  }
  const silent: Group = {
    kind: "silent",
    endpoints: 2000,
    ordersEach: 1,
    deliveredEach: 0,
    urls: [at(hanging, "silent")]
  }
  const flaky: Group = { kind: "flaky", endpoints: 1, ordersEach: 1, deliveredEach: 0, urls: [at(ports[0], "flaky")] }
  return { healthy, silent, flaky }
}

interface Load {
  readonly perSecond: number
  readonly seconds: number
}

/** Changes the status of proxies, and follows each change to the receiver. */
const makeEvents = Effect.fnUntraced(function* (receivers: Receivers) {
  const sql = yield* SqlClient.SqlClient
  const { wake } = yield* Wakes

  const change = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const now = yield* DateTime.now
    const began = monotonicMillis()
    yield* sql`
      UPDATE proxy_order SET updated_at = ${DateTime.toDate(now)},
        proxy_status = CASE proxy_status WHEN 'active' THEN 'expiring' ELSE 'active' END
      WHERE id = ANY (${ids}::uuid[])
    `
    yield* wake("proxy_status", ids)
    return ids.map((id) => ({ key: WebhookProcesses.keyOf(id, DateTime.formatIso(now)), began }))
  })

  /** One change after the other, each at its time, independent of earlier ones. */
  const drive = (ids: ReadonlyArray<string>, { perSecond, seconds }: Load) =>
    Effect.map(
      Effect.forEach(
        Array.from({ length: perSecond * seconds }, (_, n) => ids[n % ids.length] ?? ""),
        (id, n) => Effect.delay(change([id]), (n * 1000) / perSecond),
        { concurrency: "unbounded" }
      ),
      (changes) => changes.flat()
    )

  /** Milliseconds from just before each change to the arrival of its event. */
  const delays = Effect.fnUntraced(function* (changes: Effect.Success<ReturnType<typeof change>>) {
    const missing = () => changes.filter(({ key }) => receivers.firstAt(key) === undefined).length
    yield* Effect.suspend(() => (missing() > 0 ? Effect.fail("missing") : Effect.void)).pipe(
      Effect.retry(Schedule.spaced("100 millis")),
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.die(new Error(`${missing()} of ${changes.length} events have not arrived`))
      })
    )
    return changes.map(({ began, key }) => (receivers.firstAt(key) ?? Infinity) - began)
  })

  return { change, drive, delays }
})

type Events = Effect.Success<ReturnType<typeof makeEvents>>

const verdict = (isFast: boolean, allowed: string) => (isFast ? "" : `  MISSES ${allowed}`)

/** Measures after the yardstick until the aim is met, a few times at most; the aim grows with the yardstick. */
const attempted = Effect.fnUntraced(function* <E, R>(
  receivers: Receivers,
  once: (factors: { readonly latency: number; readonly throughput: number }) => Effect.Effect<boolean, E, R>
) {
  const yardstick = yield* Yardstick
  for (let round = 1; round <= tries; round += 1)
    if (yield* once(yield* yardstick.measure(receivers.ports))) return true
  return false
})

const latency = <E, R>(
  receivers: Receivers,
  label: string,
  aim: Partial<Latency>,
  samples: Effect.Effect<ReadonlyArray<number>, E, R>
) =>
  attempted(
    receivers,
    Effect.fnUntraced(function* (factors) {
      const measured = yield* samples
      const found = percentiles(measured)
      const most = { p95: (aim.p95 ?? Infinity) * factors.latency, p99: (aim.p99 ?? Infinity) * factors.latency }
      const isFast = found.p95 <= most.p95 && found.p99 <= most.p99
      const allowed = `${Math.min(most.p95, most.p99).toFixed(0)} ms`
      yield* Console.log(line(`${label}, ${measured.length} events`, measured) + verdict(isFast, allowed))
      return isFast
    })
  )

/** All deliveries are due immediately: the number that are delivered and settled in a second. */
const throughput = (receivers: Receivers, events: Events, healthy: Group, usage: Effect.Effect<number>) =>
  attempted(
    receivers,
    Effect.fnUntraced(function* (factors) {
      const sql = yield* SqlClient.SqlClient
      const ids = orderIds(healthy)
      const before = yield* usage
      yield* events.change(ids)
      const start = monotonicMillis()
      const pending = sql`
        SELECT FROM webhook_delivery WHERE status = 'pending' AND ${endpointsOf(sql, healthy)} LIMIT 1
      `
      yield* Effect.repeat(pending, { while: (rows) => rows.length > 0, schedule: Schedule.spaced("50 millis") }).pipe(
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.die(new Error("they are not delivered")) })
      )
      const rate = ids.length / ((monotonicMillis() - start) / 1000)
      const each = ((yield* usage) - before) / ids.length
      const least = aims.rate / factors.throughput
      const told = `${ids.length} due at once: ${rate.toFixed(0)} deliveries/s, ${each.toFixed(2)} ms of processor each`
      yield* Console.log(told + verdict(rate >= least, `${least.toFixed(0)}/s`))
      return rate >= least
    })
  )

/** The receiver that fails twice: the waits between its three attempts. */
const retries = Effect.fnUntraced(function* (receivers: Receivers, id: string, began: number) {
  const later = yield* Effect.suspend(() => {
    const found = receivers.retries(id)
    return found.length < 2 ? Effect.fail("waiting") : Effect.succeed(found)
  }).pipe(Effect.retry(Schedule.spaced("1 second")), Effect.timeout("4 minutes"))
  const times = [began, ...later.map(({ at }) => at)]
  const waits = gaps.map((_, n) => ((times[n + 1] ?? Infinity) - (times[n] ?? 0)) / 1000)
  const isRight = gaps.every(({ least, most }, n) => least <= (waits[n] ?? 0) && (waits[n] ?? 0) <= most)
  const told = waits.map((wait) => `${wait.toFixed(1)} s`).join(" and ")
  const allowed = gaps.map(({ least, most }) => `${least} to ${most} s`).join(" and ")
  yield* Console.log(`a receiver that fails twice: attempts after ${told}${verdict(isRight, allowed)}`)
  return isRight
})

const scenarios = Effect.fnUntraced(function* (receivers: Receivers, usage: Effect.Effect<number>) {
  const { flaky, healthy, silent } = groupsAt(receivers)
  const events = yield* makeEvents(receivers)
  const [ids, silentIds, flakyIds] = [orderIds(healthy), orderIds(silent), orderIds(flaky)]
  const loaded = (load: Load) => Effect.flatMap(events.drive(ids, load), events.delays)
  yield* loaded(warmUp)
  const [toFlaky] = yield* events.change(flakyIds)
  yield* Console.log(`\n${heading}`)
  const besideSilent = Effect.gen(function* () {
    yield* events.change(silentIds)
    const load = { perSecond: 100, seconds: 30 }
    const [changes] = yield* Effect.all([events.drive(ids, load), events.drive(silentIds, load)], { concurrency: 2 })
    return yield* events.delays(changes)
  })
  const met = [
    yield* latency(receivers, "50/s to 500 endpoints", { p95: aims.p95 }, loaded({ perSecond: 50, seconds: 15 })),
    yield* latency(receivers, "200/s to 500 endpoints", { p95: aims.p95 }, loaded({ perSecond: 200, seconds: 15 })),
    yield* throughput(receivers, events, healthy, usage),
    yield* latency(receivers, "100/s beside 2000 that never answer", { p99: aims.p99OfHealthy }, besideSilent),
    yield* retries(receivers, flakyIds[0] ?? "", toFlaky?.began ?? 0)
  ]
  const missed = met.filter((isMet) => !isMet).length
  if (missed > 0) return yield* Effect.die(new Error(`${missed} of ${met.length} aims are missed`))
})

const run = Effect.fnUntraced(function* (database: EmbeddedPostgres.EmbeddedPostgres) {
  const receivers = yield* WebhookProcesses.receivers
  const { flaky, healthy, silent } = groupsAt(receivers)
  yield* seedWebhooks([healthy, silent, flaky], DateTime.toDate(yield* DateTime.now))
  const cpu = os.cpus()
  yield* Console.log(
    `${cpu.length} x ${cpu[0]?.model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}, load ${os
      .loadavg()
      .map((load) => load.toFixed(1))
      .join(" ")}`
  )
  const { usage } = yield* WebhookProcesses.service({
    DATABASE_URL: `postgres:///${database.database}?user=${database.username}&host=${encodeURIComponent(database.host)}&port=${database.port}`,
    OUTBOUND_ALLOW: [...receivers.ports, receivers.hanging].map((port) => `127.0.0.1:${port}`).join()
  })
  yield* scenarios(receivers, usage)
})

const main = Effect.gen(function* () {
  const database = yield* postgres
  yield* Effect.provide(
    run(database),
    Layer.merge(Database.layerWith({ ...database, maxConnections: 16 }), Yardstick.layer)
  )
}).pipe(Effect.scoped, Effect.timeout("6 minutes"))

NodeRuntime.runMain(main)
