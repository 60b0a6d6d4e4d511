import { Console, Effect } from "effect"
import * as path from "node:path"
import * as Logs from "./Logs.ts"
import * as Planting from "./Planting.ts"
import type { Plant } from "./Plant.ts"
import * as Postgres from "./Postgres.ts"
import * as Scenario from "./Scenario.ts"
import * as World from "./World.ts"

/** The extent of a search for a plant; each plant adds its own needs. */
const search: Scenario.Extent = {
  orders: 150,
  seconds: 60,
  limit: 900,
  aim: "nothing",
  isThorough: false,
  isRough: false,
  isRepriced: false,
  vendorShare: 25,
  topUpShare: 8,
  changeShare: 0.35,
  careShare: 0,
  paperShare: 0,
  refused: 0,
  hasOutage: false,
  outages: 2,
  clients: 8
}

/** A PostgreSQL server, and a place for logs. */
interface Bench {
  readonly directory: string
  readonly postgres: Postgres.Postgres
}

export const bench = Effect.gen(function* () {
  const { directory, postgres } = yield* Logs.directory
  const bench: Bench = { directory, postgres: yield* Postgres.start(postgres) }
  return bench
})

interface Options extends Bench {
  readonly root: string
  readonly seed: number
  /** Receives lines about the progress. */
  readonly tell: (line: string) => Effect.Effect<void>
}

/** Runs the program in `root` on its own database, with the logs in a directory of that name. */
const runWith = Effect.fnUntraced(function* (
  { directory, postgres, root, seed, tell }: Options,
  name: string,
  extent: Scenario.Extent
) {
  const database = `faults_${name.replaceAll("-", "_")}`
  const logs = path.join(directory, name)
  const world = World.make({ root, directory: logs, postgres, database, seed })
  const run = Effect.flatMap(world, (world) => Scenario.run(world, extent, tell))
  return { ...(yield* Logs.keptIfOfUse(Effect.scoped(run), logs)), logs }
})

export const product = (options: Options, extent: Partial<Scenario.Extent>) =>
  runWith(options, "product", { ...search, ...extent })

/** The invariants that break without a safeguard; the first is the expected one. */
export const planted = Effect.fnUntraced(function* (options: Options, plant: Plant) {
  const root = yield* Planting.plant(options.root, plant)
  const { logs, seconds, violations } = yield* runWith({ ...options, root }, plant.name, { ...search, ...plant.extent })
  const expected = violations.filter((violation) => violation.startsWith(plant.breaks))
  return {
    logs,
    seconds,
    isFound: expected.length > 0,
    violations: [...expected, ...violations.filter((one) => !expected.includes(one))]
  }
}, Effect.scoped)

const mixed: Partial<Scenario.Extent> = {
  vendorShare: 90,
  refused: 0.2,
  isRepriced: true,
  paperShare: 10,
  aim: { points: /COMMIT|provisioning_attempt|vendor|stripe/, share: 0.05 },
  hasOutage: true
}

/** The story of a search with every safeguard in its place: it must find nothing. */
export const control = (options: Options) => product(options, mixed)

/** Tries each plant, and none. Answers the plants that were not found, and bugs found without a plant. */
export const plantedAll = Effect.fnUntraced(function* (options: Options, plants: ReadonlyArray<Plant>) {
  const { seconds, violations } = yield* control(options)
  const isClean = violations.length === 0
  yield* Console.log(`${isClean ? "clean" : "DIRTY"}  nothing is planted  (${seconds} s)  ${violations.join("; ")}`)
  const missed = isClean ? [] : ["nothing"]
  for (const plant of plants) {
    const { isFound, logs, seconds, violations } = yield* planted(options, plant)
    const first = violations[0]?.slice(0, 160) ?? "no invariant is broken"
    yield* Console.log(`${isFound ? "found" : "MISSED"}  ${plant.name}  (${seconds} s)  ${first}`)
    if (isFound) yield* Logs.drop(logs)
    else missed.push(plant.name)
  }
  return missed
})
