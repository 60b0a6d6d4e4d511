import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import * as os from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { plants } from "./Plants.ts"
import * as Run from "./Run.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    orders: { type: "string", default: "4500" },
    minutes: { type: "string", default: "10" },
    plant: { type: "string" }
  }
})

const root = fileURLToPath(new URL("..", import.meta.url))
const seed = Number(values.seed)

const failed = Effect.sync(() => {
  process.exitCode = 1
})

const reportOf = ({ crashes, failpoints, kills, known, orders, replayed, retries, seconds }: Product) =>
  [
    `${orders} orders asked for, ${retries} requests repeated, ${replayed} answers asked for once more`,
    `${kills} processes killed, the database ${crashes} times`,
    `failpoints: ${failpoints.known.points} (${known} of them seen without a fault), each in 3 ways: ` +
      `${failpoints.known.ways - failpoints.left} of ${failpoints.known.ways} tried`,
    ...Object.entries(failpoints.hits).map(([way, times]) => `  ${way}: ${times}`),
    ...failpoints.missed.map((point) => `  not tried: ${point}`),
    `${seconds} s, seed ${seed}`
  ].join("\n")

type Product = Effect.Success<ReturnType<typeof Run.product>>

const tryProduct = Effect.gen(function* () {
  const extent = {
    orders: Number(values.orders),
    // The rest is for settling and comparing.
    seconds: Number(values.minutes) * 60 - 120,
    aim: "each",
    isThorough: true,
    isRough: true,
    hasOutage: true,
    outages: 8,
    clients: 16
  } as const
  const result = yield* Run.product({ ...(yield* Run.bench), root, seed, tell: Console.log }, extent)
  yield* Console.log(reportOf(result))
  yield* Console.log(`${result.violations.length} violations`)
  for (const violation of result.violations) yield* Console.log(`VIOLATED  ${violation}`)
  if (result.violations.length === 0) return
  yield* Console.log(`The logs are in ${result.logs}`)
  yield* failed
})

const tryPlant = Effect.fnUntraced(function* (name: string) {
  const plant = plants.find((plant) => plant.name === name)
  if (plant === undefined) {
    yield* Console.log(`There is no plant ${name}; --plant=list names them`)
    return yield* failed
  }
  const { violations } = yield* Run.planted({ ...(yield* Run.bench), root, seed, tell: Console.log }, plant)
  for (const violation of violations) yield* Console.log(`VIOLATED  ${violation}`)
  if (violations.length > 0) return yield* failed
  yield* Console.log(`${name} was not found; seed ${seed}`)
})

const tryPlants = Effect.gen(function* () {
  const missed = yield* Run.plantedAll({ ...(yield* Run.bench), root, seed, tell: () => Effect.void }, plants)
  const found = plants.filter(({ name }) => !missed.includes(name))
  yield* Console.log(`${found.length} of ${plants.length} planted bugs found, seed ${seed}`)
  if (missed.length > 0) yield* failed
})

const list = Effect.forEach(plants, ({ breaks, name, what }) => Console.log(`${name}: ${what} (breaks: ${breaks})`))

const chosen = () => {
  if (values.plant === undefined) return tryProduct
  if (values.plant === "list") return list
  return values.plant === "all" ? tryPlants : tryPlant(values.plant)
}

const main = Effect.gen(function* () {
  const [cpu] = os.cpus()
  yield* Console.log(
    `${os.cpus().length} x ${cpu?.model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}; seed ${seed}`
  )
  yield* chosen()
}).pipe(Effect.scoped)

NodeRuntime.runMain(main)
