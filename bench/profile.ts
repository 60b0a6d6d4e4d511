import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import * as os from "node:os"
import { run as drive } from "./peer/Load.ts"
import * as Postgres from "./peer/Postgres.ts"
import { summary } from "./peer/Profile.ts"
import { routes as routesOf } from "./peer/Routes.ts"
import { open } from "./peer/Site.ts"

const [label = "", who = "service", given = "8"] = process.argv.slice(2)
const seconds = Number(given)
const warmUpSeconds = 5
const shownLines = 40

const isSide = (name: string) => name === "service" || name === "peer"

if (!isSide(who) || !(seconds > 0)) {
  process.stderr.write("Give the route, then service or peer, then the seconds: 'GET /orders/{id}' service 8\n")
  process.exit(1)
}

const lines = (title: string, shares: ReadonlyArray<{ readonly name: string; readonly share: number }>) => [
  "",
  title,
  ...shares.slice(0, shownLines).map(({ name, share }) => `${(share * 100).toFixed(1).padStart(6)} %  ${name}`)
]

const run = Effect.gen(function* () {
  const server = yield* Postgres.start
  const site = yield* open(server, {
    orders: 10_000,
    lanes: [16, 64],
    gateway: true,
    nest: false,
    workers: false,
    seed: 0.42
  })
  const routes = yield* routesOf(site)
  const route = routes.find((route) => route.label === label)
  if (route === undefined)
    return yield* Effect.die(new Error(`give one of these routes: ${routes.map(({ label }) => label).join("; ")}`))
  const { once, program } = route.subjects[who]!
  const work = (seconds: number) =>
    Effect.andThen(route.prepare ?? Effect.void, drive(route.lanes, seconds * 1000, once))
  yield* work(warmUpSeconds)
  yield* site.analyze
  const { profiled, used } = program!
  const load = os.loadavg()[0]?.toFixed(1)
  const before = (yield* used).processorMillis
  const plain = yield* work(seconds)
  const processor = ((yield* used).processorMillis - before) / plain.samples.length
  const found = summary(yield* profiled(work(seconds)))
  yield* Console.log(
    [
      `${label} of the ${who}: ${plain.rate.toFixed(0)}/s, ${processor.toFixed(3)} ms of processor time, load ${load}`,
      `In the profile the thread was busy for ${found.busySeconds.toFixed(1)} s and idle for ${found.idleSeconds.toFixed(1)} s.`,
      ...lines("Time in the file itself", found.files),
      ...lines("Time in the function itself", found.self),
      ...lines("Time in the function and in all that it calls", found.inclusive)
    ].join("\n")
  )
})

NodeRuntime.runMain(run.pipe(Effect.scoped, Effect.timeout("3 minutes")))
