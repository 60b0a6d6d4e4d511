import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import { createRequire } from "node:module"
import * as os from "node:os"
import { type Measured, measure, type Pace, unmeasured } from "./peer/Measure.ts"
import * as OtherWork from "./peer/OtherWork.ts"
import * as Postgres from "./peer/Postgres.ts"
import { judge, median, table } from "./peer/Report.ts"
import { routes as routesOf } from "./peer/Routes.ts"
import { open, type Plan, type Site } from "./peer/Site.ts"

const options = process.argv.slice(2)
const unknown = options.find((option) => option !== "--quick")
if (unknown !== undefined) {
  process.stderr.write(`There is no option ${unknown}: give --quick for the small table alone, or nothing.\n`)
  process.exit(1)
}

const isQuick = options.length > 0
const seed = 0.42
const lanes = [16, 64]
const plans: ReadonlyArray<Plan> = isQuick
  ? [{ orders: 10_000, lanes: lanes.slice(0, 1), gateway: true, nest: false, workers: false, seed }]
  : [
      { orders: 10_000, lanes, gateway: true, nest: true, workers: true, seed },
      { orders: 1_000_000, lanes: lanes.slice(0, 1), gateway: false, nest: true, workers: false, seed }
    ]
const pace: Pace = isQuick
  ? { rounds: 5, millis: 400, warmUp: { requests: 1000, seconds: 3 } }
  : { rounds: 5, millis: 800, warmUp: { requests: 2000, seconds: 5 } }

const { dependencies, devDependencies } = createRequire(import.meta.url)("../package.json")
const versionOf = (name: string): string => dependencies[name] ?? devDependencies[name]

const load = () => os.loadavg()[0]?.toFixed(1)

const run = Effect.gen(function* () {
  const cpu = os.cpus()
  yield* Console.log(
    `${cpu.length} x ${cpu[0]?.model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, load ${load()}; ` +
      `Node ${process.version}, effect ${versionOf("effect")}, fastify ${versionOf("fastify")}, pg ${versionOf("pg")}, ` +
      `NestJS ${versionOf("@nestjs/core")}, TypeORM ${versionOf("typeorm")}\n` +
      `${lanes[0]} lanes, ${pace.rounds} rounds of ${pace.millis} ms each; seed ${seed}`
  )
  const server = yield* Postgres.start
  const all: Array<Measured> = []
  const sites: Array<Site> = []
  for (const plan of plans) {
    const site = yield* open(server, plan)
    yield* Console.log(
      `${plan.orders} orders are there, of ${site.buyers.length} customers with a wallet and of others`
    )
    sites.push(site)
    for (const route of yield* routesOf(site)) all.push(unmeasured(site, route))
  }
  const other: Array<number> = []
  yield* measure(
    all,
    pace,
    Effect.map(OtherWork.measure, (cores) => other.push(cores))
  )
  yield* Console.log(["", ...table(all), ""].join("\n"))
  for (const site of sites)
    for (const side of ["service", "workers", "peer", "nest"] as const) {
      const usage = site[side] && (yield* site[side].used)
      if (usage === undefined) continue
      const mebibytes = (usage.resident / 2 ** 20).toFixed(0)
      yield* Console.log(`resident memory of ${side} with ${site.orders} orders: ${mebibytes} MiB`)
    }
  yield* Console.log(
    `other work on the machine between the rounds: ${median(other).toFixed(1)} cores, at most ${Math.max(...other).toFixed(1)}; load ${load()} at the end`
  )
  if ((yield* judge(all)) !== 0) process.exitCode = 1
})

NodeRuntime.runMain(run.pipe(Effect.scoped, Effect.timeout(isQuick ? "3 minutes" : "14 minutes")))
