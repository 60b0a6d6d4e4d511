import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import { createRequire } from "node:module"
import * as os from "node:os"
import { percentiles } from "./Latency.ts"
import { run as drive, type Run } from "./peer/Load.ts"
import * as Postgres from "./peer/Postgres.ts"
import { type Route, routes as routesOf } from "./peer/Routes.ts"
import { open, type Site } from "./peer/Site.ts"
import { times } from "./Ratio.ts"

const options = process.argv.slice(2)
const unknown = options.find((option) => option !== "--quick")
if (unknown !== undefined) {
  process.stderr.write(`There is no option ${unknown}: give --quick for the small table alone, or nothing.\n`)
  process.exit(1)
}

const isQuick = options.length > 0
const lanes = 16
const seed = 0.42
const sizes = isQuick ? [10_000] : [10_000, 1_000_000]
const rounds = isQuick ? 3 : 5
const millis = isQuick ? 700 : 800
/** Each side answers this many requests, or for this time, before the measurement: then its code is compiled. */
const warmUp = isQuick ? { requests: 1000, seconds: 8 } : { requests: 2000, seconds: 10 }
/** The share by which an aim may be missed before the benchmark fails. */
const noise = 0.1
/** The allowed growth of the 95th percentile from the small table to the large one. */
const growth = 4 / 3

const sides = ["service", "peer", "limit"] as const
type Side = (typeof sides)[number]

interface Round extends Run {
  /** Milliseconds of the server's processor time for each request, without the database's. */
  readonly processor: number
}

interface Measured {
  readonly site: Site
  readonly route: Route
  readonly rounds: Record<Side, Array<Round>>
}

const median = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

const once = Effect.fnUntraced(function* ({ route, site }: Measured, side: Side, duration: number) {
  const work = route[side]
  if (work === undefined) return undefined
  const used = side === "limit" ? undefined : site[side].used
  const before = used && (yield* used).processorMillis
  const run = yield* drive(lanes, duration, work)
  const after = used && (yield* used).processorMillis
  return { ...run, processor: ((after ?? Number.NaN) - (before ?? Number.NaN)) / run.samples.length } satisfies Round
})

const warm = Effect.fnUntraced(function* (one: Measured, side: Side) {
  for (let second = 0, answered = 0; second < warmUp.seconds && answered < warmUp.requests; second += 1)
    answered += (yield* once(one, side, 1000))?.samples.length ?? warmUp.requests
})

/** Every side of every route on every table, in another order each round. */
const measure = Effect.fnUntraced(function* (all: ReadonlyArray<Measured>) {
  const byRoute = all.toSorted((a, b) => a.route.label.localeCompare(b.route.label))
  for (const one of byRoute) for (const side of sides) yield* warm(one, side)
  for (const round of times(rounds))
    for (const one of round % 2 === 0 ? byRoute : byRoute.toReversed())
      for (const step of times(sides.length)) {
        const side = sides[(round + step) % sides.length]!
        const measured = yield* once(one, side, millis)
        if (measured !== undefined) one.rounds[side].push(measured)
      }
})

const cell = (value: number, digits: number, width = 9) => value.toFixed(digits).padStart(width)

const ratiosOf = ({ rounds }: Measured, other: "peer" | "limit") =>
  rounds.service.map(({ rate }, round) => rate / (rounds[other][round]?.rate ?? Number.NaN))

/** Computes the percentiles over all rounds together. */
const percentilesOf = (runs: ReadonlyArray<Run>) => percentiles(runs.flatMap(({ samples }) => samples))

const table = (all: ReadonlyArray<Measured>) =>
  all.flatMap((one) =>
    sides.flatMap((side) => {
      const runs = one.rounds[side]
      if (runs.length === 0) return []
      const { p50, p95, p99 } = percentilesOf(runs)
      const processor = side === "limit" ? " ".repeat(9) : cell(median(runs.map(({ processor }) => processor)), 2)
      const ratio = side === "service" ? "" : cell(median(ratiosOf(one, side)), 2)
      const name = `${one.route.label}, ${one.site.orders} orders`
      return `${name.padEnd(42)}${side.padEnd(9)}${cell(median(runs.map(({ rate }) => rate)), 0)}${cell(p50, 1)}${cell(p95, 1)}${cell(p99, 1)}${processor}${ratio}`
    })
  )

/** Prints an aim and its outcome; `share` is the reached part of the aim. */
const judged = Effect.fnUntraced(function* (label: string, found: number, share: number, aim: string) {
  const verdict = share >= 1 ? "met" : share >= 1 - noise ? "MISSED by less than the noise" : "MISSED"
  yield* Console.log(`${label}: ${found.toFixed(2)}, ${aim}  ${verdict}`)
  return verdict
})

/** The service's rate as a share of another side's. */
const judgedRate = (one: Measured, other: "peer" | "limit", aim: number) => {
  const ratio = median(ratiosOf(one, other))
  const whose = other === "peer" ? "the peer's rate" : "the statement's"
  return judged(`${one.route.label}, ${one.site.orders} orders, of ${whose}`, ratio, ratio / aim, `at least ${aim}`)
}

const judgedGrowth = (small: Measured, large: Measured) => {
  const [ours, theirs] = (["service", "peer"] as const).map(
    (side) => percentilesOf(large.rounds[side]).p95 / percentilesOf(small.rounds[side]).p95
  )
  const label = `${small.route.label}, p95 with ${large.site.orders} orders by that with ${small.site.orders}`
  return judged(label, ours!, growth / ours!, `at most ${growth.toFixed(2)} (the peer's ${theirs!.toFixed(2)})`)
}

const verdicts = Effect.fnUntraced(function* (all: ReadonlyArray<Measured>) {
  const found: Array<Effect.Success<ReturnType<typeof judged>>> = []
  for (const one of all) {
    found.push(yield* judgedRate(one, "peer", one.route.ofPeer))
    if (one.route.ofLimit !== undefined) found.push(yield* judgedRate(one, "limit", one.route.ofLimit))
  }
  for (const small of all.filter(({ route, site }) => route.grows && site.orders === sizes[0])) {
    const large = all.find(({ route, site }) => route.label === small.route.label && site !== small.site)
    if (large !== undefined) found.push(yield* judgedGrowth(small, large))
  }
  return found
})

const versionOf = (name: string) => createRequire(import.meta.url)(`${name}/package.json`).version

const run = Effect.gen(function* () {
  const cpu = os.cpus()
  yield* Console.log(
    `${cpu.length} x ${cpu[0]?.model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, load ${os.loadavg()[0]?.toFixed(1)}; ` +
      `Node ${process.version}, effect ${versionOf("effect")}, fastify ${versionOf("fastify")}, pg ${versionOf("pg")}\n` +
      `${lanes} lanes, ${rounds} rounds of ${millis} ms each; seed ${seed}`
  )
  const server = yield* Postgres.start
  const all: Array<Measured> = []
  const sites: Array<Site> = []
  for (const orders of sizes) {
    const site = yield* open(server, { orders, lanes, seed })
    yield* Console.log(`${orders} orders are there, of ${lanes} customers with a wallet each and of others`)
    sites.push(site)
    for (const route of yield* routesOf(site)) all.push({ site, route, rounds: { service: [], peer: [], limit: [] } })
  }
  yield* measure(all)
  const names = ["a second", "p50 ms", "p95", "p99", "cpu ms", "ratio"].map((name) => name.padStart(9)).join("")
  yield* Console.log(["", `${" ".repeat(51)}${names}`, ...table(all), ""].join("\n"))
  for (const { orders, peer, service } of sites) {
    const [ours, theirs] = [yield* service.used, yield* peer.used].map(({ resident }) =>
      (resident / 2 ** 20).toFixed(0)
    )
    yield* Console.log(`resident memory with ${orders} orders: service ${ours} MiB, peer ${theirs} MiB`)
  }
  const found = yield* verdicts(all)
  const [met, near, missed] = (["met", "MISSED by less than the noise", "MISSED"] as const).map(
    (verdict) => found.filter((one) => one === verdict).length
  )
  yield* Console.log(
    `Of ${found.length} aims ${met} are met, ${near} missed by less than the noise of ${noise}, ${missed} missed`
  )
  if (missed !== 0) process.exitCode = 1
})

NodeRuntime.runMain(run.pipe(Effect.scoped, Effect.timeout(isQuick ? "3 minutes" : "10 minutes")))
