import { Effect } from "effect"
import { times } from "../Ratio.ts"
import { run as drive, type Run } from "./Load.ts"
import { type Route, type Side, sides } from "./Routes.ts"
import type { Site } from "./Site.ts"

interface Round extends Run {
  /** Milliseconds of the server's processor time for each request, without the database's. */
  readonly processor: number
}

export interface Measured {
  readonly site: Site
  readonly route: Route
  readonly rounds: Record<Side, Array<Round>>
}

export interface Pace {
  readonly rounds: number
  readonly millis: number
  /** Each program answers this many requests, or for this time, before the measurement: then its code is compiled. */
  readonly warmUp: { readonly requests: number; readonly seconds: number }
}

export const unmeasured = (site: Site, route: Route): Measured => ({
  site,
  route,
  rounds: { service: [], workers: [], peer: [], nest: [], limit: [] }
})

const once = Effect.fnUntraced(function* ({ route }: Measured, side: Side, duration: number) {
  const subject = route.subjects[side]
  if (subject === undefined) return undefined
  const used = subject.program?.used
  if (route.prepare !== undefined && side === "service") yield* route.prepare
  const before = used && (yield* used).processorMillis
  const run = yield* drive(route.lanes, duration, subject.once)
  const after = used && (yield* used).processorMillis
  return { ...run, processor: ((after ?? Number.NaN) - (before ?? Number.NaN)) / run.samples.length } satisfies Round
})

/** A bare statement needs only its plans. */
const warm = Effect.fnUntraced(function* (one: Measured, side: Side, { requests, seconds }: Pace["warmUp"]) {
  const most = one.route.subjects[side]?.program === undefined ? 1 : seconds
  for (let second = 0, answered = 0; second < most && answered < requests; second += 1)
    answered += (yield* once(one, side, 1000))?.samples.length ?? requests
})

/**
 * Every side of every route on every table, in another order each round. `between` runs before each round. The side that
 * is warmed up first has smaller tables, so all sides plan again after the warm-up.
 */
export const measure = Effect.fnUntraced(function* (
  all: ReadonlyArray<Measured>,
  { millis, rounds, warmUp }: Pace,
  between: Effect.Effect<unknown>
) {
  const byRoute = all.toSorted((a, b) => a.route.label.localeCompare(b.route.label))
  // More lanes run the same code.
  const first = byRoute.filter(({ route, site }) => route.lanes === site.lanes[0])
  for (const one of first) for (const side of sides) yield* warm(one, side, warmUp)
  for (const { analyze } of new Set(all.map(({ site }) => site))) yield* analyze
  for (const round of times(rounds)) {
    yield* between
    for (const one of round % 2 === 0 ? byRoute : byRoute.toReversed())
      for (const step of times(sides.length)) {
        const side = sides[(round + step) % sides.length]!
        const measured = yield* once(one, side, millis)
        if (measured !== undefined) one.rounds[side].push(measured)
      }
  }
})
