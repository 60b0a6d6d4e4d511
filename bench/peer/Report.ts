import { Console, Effect } from "effect"
import { percentiles } from "../Latency.ts"
import type { Run } from "./Load.ts"
import type { Measured } from "./Measure.ts"
import { type Side, sides } from "./Routes.ts"

/** The share by which an aim may be missed before the benchmark fails. */
const noise = 0.1
/** The allowed growth of the 95th percentile from the small table to the large one. */
const growth = 4 / 3

type Other = Exclude<Side, "service">

export const median = (values: ReadonlyArray<number>) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2
}

/** The service's figure by the other side's, as the median of the rounds' ratios. */
const ratio = ({ rounds }: Measured, other: Other, figure: "rate" | "processor") =>
  median(rounds.service.map((ours, round) => ours[figure] / (rounds[other][round]?.[figure] ?? Number.NaN)))

/** Computes the percentiles over all rounds together. */
const percentilesOf = (runs: ReadonlyArray<Run>) => percentiles(runs.flatMap(({ samples }) => samples))

const cell = (value: number, digits: number) => (Number.isNaN(value) ? "" : value.toFixed(digits)).padStart(9)

const heading = ["a second", "p50 ms", "p95", "p99", "cpu ms", "of rate", "of cpu"]

const nameOf = ({ route, site }: Measured) => `${route.label}, ${site.orders} orders`

const row = (one: Measured, side: Side) => {
  const runs = one.rounds[side]
  if (runs.length === 0) return []
  const { p50, p95, p99 } = percentilesOf(runs)
  const ratios = side === "service" ? [] : [cell(ratio(one, side, "rate"), 2), cell(ratio(one, side, "processor"), 2)]
  const cells = [
    cell(median(runs.map(({ rate }) => rate)), 0),
    ...[p50, p95, p99].map((millis) => cell(millis, 1)),
    cell(median(runs.map(({ processor }) => processor)), 3),
    ...ratios
  ]
  return [`${nameOf(one).padEnd(46)}${side.padEnd(9)}${cells.join("")}`.trimEnd()]
}

/** A line for each side. The last two columns are the service's rate and processor time by those of the side. */
export const table = (all: ReadonlyArray<Measured>) => [
  `${" ".repeat(55)}${heading.map((name) => name.padStart(9)).join("")}`,
  ...all.flatMap((one) => sides.flatMap((side) => row(one, side)))
]

/** Prints an aim and its outcome; `share` is the reached part of the aim. */
const judged = Effect.fnUntraced(function* (label: string, found: number, share: number, aim: string) {
  const verdict = share >= 1 ? "met" : share >= 1 - noise ? "MISSED by less than the noise" : "MISSED"
  yield* Console.log(`${label}: ${found.toFixed(2)}, ${aim}  ${verdict}`)
  return verdict
})

const judgedRate = (one: Measured, other: "peer" | "limit", aim: number) => {
  const found = ratio(one, other, "rate")
  const whose = other === "peer" ? "the peer's rate" : "the statement's"
  return judged(`${nameOf(one)}, of ${whose}`, found, found / aim, `at least ${aim}`)
}

const judgedGrowth = (small: Measured, large: Measured) => {
  const [ours, theirs] = (["service", "peer"] as const).map(
    (side) => percentilesOf(large.rounds[side]).p95 / percentilesOf(small.rounds[side]).p95
  )
  const label = `${small.route.label}, p95 with ${large.site.orders} orders by that with ${small.site.orders}`
  return judged(label, ours!, growth / ours!, `at most ${growth.toFixed(2)} (the peer's ${theirs!.toFixed(2)})`)
}

/** Prints each aim and the number of each outcome. Returns the number of missed aims. */
export const judge = Effect.fnUntraced(function* (all: ReadonlyArray<Measured>) {
  const found: Array<Effect.Success<ReturnType<typeof judged>>> = []
  for (const one of all) {
    if (one.route.ofPeer !== undefined) found.push(yield* judgedRate(one, "peer", one.route.ofPeer))
    if (one.route.ofLimit !== undefined) found.push(yield* judgedRate(one, "limit", one.route.ofLimit))
  }
  const [first] = all
  for (const small of all.filter(({ route, site }) => route.grows === true && site === first?.site)) {
    const large = all.find(({ route, site }) => route.label === small.route.label && site !== small.site)
    if (large !== undefined) found.push(yield* judgedGrowth(small, large))
  }
  const [met, near, missed] = (["met", "MISSED by less than the noise", "MISSED"] as const).map(
    (verdict) => found.filter((one) => one === verdict).length
  )
  yield* Console.log(
    `Of ${found.length} aims ${met} are met, ${near} missed by less than the noise of ${noise}, ${missed} missed`
  )
  return missed!
})
