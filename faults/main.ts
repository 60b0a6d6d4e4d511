import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import * as os from "node:os"
import { fileURLToPath } from "node:url"
import * as Options from "./Options.ts"
import type { Plant } from "./Plant.ts"
import { plants } from "./Plants.ts"
import * as Run from "./Run.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

const exitWith = (code: number) =>
  Effect.sync(() => {
    process.exitCode = code
  })
const failed = exitWith(1)

const reportOf = (
  { applied, charges, crashes, failpoints, kills, known, orders, replayed, retries, seconds }: Product,
  seed: number
) =>
  [
    `${orders} orders made, ${retries} requests repeated, ${replayed} answers asked for once more`,
    `${charges} charges of saved cards, with the declined ones`,
    `${kills} processes killed, the database ${crashes} times; the shop changed ${applied} times`,
    `failpoints: ${failpoints.known.points} (${known} of them seen without a fault), each in 3 ways: ` +
      `${failpoints.known.ways - failpoints.left} of ${failpoints.known.ways} tried`,
    ...Object.entries(failpoints.hits).map(([way, times]) => `  ${way}: ${times}`),
    ...failpoints.missed.map((point) => `  not tried: ${point}`),
    `${seconds} s, seed ${seed}`
  ].join("\n")

type Product = Effect.Success<ReturnType<typeof Run.product>>

const tryProduct = Effect.fnUntraced(function* ({ minutes, orders, seed }: Options.Options) {
  const extent = {
    orders,
    // The rest is for the last answers, settling and comparing.
    seconds: minutes * 60 * 0.65,
    limit: minutes * 60,
    aim: "each",
    isThorough: true,
    isRough: true,
    hasOutage: true,
    outages: 8,
    clients: 24
  } as const
  const result = yield* Run.product({ ...(yield* Run.bench), root, seed, tell: Console.log }, extent)
  yield* Console.log(reportOf(result, seed))
  yield* Console.log(`${result.violations.length} violations`)
  for (const violation of result.violations) yield* Console.log(`VIOLATED  ${violation}`)
  if (result.violations.length > 0) return yield* failed
  const lack = Options.lacking(orders, result)
  if (lack === undefined) return
  yield* Console.log(lack)
  yield* failed
})

const tryPlant = Effect.fnUntraced(function* (plant: Plant, seed: number) {
  const { isFound, violations } = yield* Run.planted({ ...(yield* Run.bench), root, seed, tell: Console.log }, plant)
  for (const violation of violations) yield* Console.log(`VIOLATED  ${violation}`)
  yield* Console.log(`${plant.name} was ${isFound ? "" : "not "}found; seed ${seed}`)
  if (isFound) yield* failed
})

const tryNothing = Effect.fnUntraced(function* (seed: number) {
  const { violations } = yield* Run.control({ ...(yield* Run.bench), root, seed, tell: Console.log })
  for (const violation of violations) yield* Console.log(`VIOLATED  ${violation}`)
  yield* Console.log(`${violations.length} violations, and nothing was planted; seed ${seed}`)
  if (violations.length > 0) yield* failed
})

const tryPlants = Effect.fnUntraced(function* (seed: number) {
  const missed = yield* Run.plantedAll({ ...(yield* Run.bench), root, seed, tell: () => Effect.void }, plants)
  const found = plants.filter(({ name }) => !missed.includes(name))
  yield* Console.log(`${found.length} of ${plants.length} planted bugs found, seed ${seed}`)
  if (missed.length > 0) yield* failed
})

const list = Effect.forEach(plants, ({ breaks, name, what }) => Console.log(`${name}: ${what} (breaks: ${breaks})`))

const chosen = (options: Options.Options) => {
  if (options.plant === undefined) return tryProduct(options)
  if (options.plant === "list") return list
  if (options.plant === "nothing") return tryNothing(options.seed)
  const plant = plants.find(({ name }) => name === options.plant)
  return plant === undefined ? tryPlants(options.seed) : tryPlant(plant, options.seed)
}

const main = Effect.gen(function* () {
  const options = Options.read(process.argv.slice(2))
  if (typeof options === "string") {
    yield* Console.error(options)
    return yield* exitWith(2)
  }
  const [cpu] = os.cpus()
  yield* Console.log(
    `${os.cpus().length} x ${cpu?.model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}; seed ${options.seed}`
  )
  yield* Effect.catchTag(chosen(options), "GaveUp", ({ message }) => Effect.andThen(Console.log(message), failed))
}).pipe(Effect.scoped)

NodeRuntime.runMain(main)
