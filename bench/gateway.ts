import { NodeRuntime } from "@effect/platform-node"
import { Console, Deferred, Effect } from "effect"
import * as os from "node:os"
import { start } from "./ChildProgram.ts"
import { Link, type Way } from "./gateway/Link.ts"
import { processorMillis, residentBytes } from "./gateway/ProcessCost.ts"
import { open, type Side } from "./gateway/Sides.ts"
import { percentiles } from "./Latency.ts"
import { median } from "./peer/Report.ts"
import { times } from "./Ratio.ts"

const isQuick = process.argv.includes("--quick")
const rounds = isQuick ? 3 : 5
const gigabyte = 1_000_000_000

/** The work of one measurement. */
const amount = {
  bytes: (isQuick ? 256 : 1_024) * 1_048_576,
  links: isQuick ? 200 : 1_000,
  connections: isQuick ? 512 : 1_920,
  lanes: 32,
  idle: 1_000,
  slow: 2_000,
  echoes: isQuick ? 1_000 : 3_000
}

/** The processor time for each byte, of that of the pipe; the growth of the p95 of a client beside slow ones. */
const aims = { cost: 1.25, growth: 4 / 3 }

type Sites = Effect.Success<typeof open>

/** The use of a side by a client. */
interface Route {
  readonly side: Side
  readonly label: string
  readonly port: number
  readonly way: Way
}

const httpRoute = (side: Side): Route => ({ side, label: `${side.name}, CONNECT`, port: side.port, way: "connect" })

const routesOf = ({ gateway, others, pipe }: Sites) => ({
  pipe: { side: pipe, label: "pipe", port: pipe.port, way: "plain" } satisfies Route,
  http: httpRoute(gateway),
  socks: { side: gateway, label: "gateway, SOCKS5", port: gateway.socks ?? 0, way: "socks5" } satisfies Route,
  others: others.map(httpRoute)
})

const connect = (sites: Sites, { port, way }: Route, line: string) => new Link(port).open(way, sites.destination, line)

const connectAll = async (sites: Sites, route: Route, count: number, line: string) => {
  const links: Array<Link> = []
  while (links.length < count) {
    const some = Math.min(amount.lanes, count - links.length)
    links.push(...(await Promise.all(times(some).map(() => connect(sites, route, line)))))
  }
  return links
}

/** The work done in a second, and its processor time in milliseconds for each unit. */
interface Figures {
  readonly rate: number
  readonly cost: number
}

const measured = async ({ side }: Route, units: number, work: () => Promise<unknown>): Promise<Figures> => {
  const before = processorMillis(side.pid)
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1_000
  return { rate: units / seconds, cost: (processorMillis(side.pid) - before) / units }
}

/** Downloads through open connections. */
const download = (sites: Sites, count: number) => async (route: Route) => {
  const each = Math.floor(amount.bytes / count)
  const links = await connectAll(sites, route, count, `send ${each}`)
  const figures = await measured(route, (each * count) / gigabyte, () =>
    Promise.all(
      links.map((link) => {
        const arrival = link.arrival(each)
        link.socket.write("x")
        return arrival
      })
    )
  )
  for (const link of links) link.close()
  return figures
}

const block = Buffer.alloc(64 * 1_024)

/** Uploads through one connection. */
const upload = (sites: Sites) => async (route: Route) => {
  const link = await connect(sites, route, `take ${amount.bytes}`)
  const figures = await measured(route, amount.bytes / gigabyte, async () => {
    const answer = link.arrival(1)
    for (let sent = 0; sent < amount.bytes; sent += block.length)
      if (!link.socket.write(block)) await new Promise((settle) => link.socket.once("drain", settle))
    await answer
  })
  link.close()
  return figures
}

/** Opens connections one after the other in each lane; each echoes one byte. */
const openings = (sites: Sites) => async (route: Route) => {
  const lane = async () => {
    for (let opened = 0; opened < amount.connections / amount.lanes; opened++) {
      const link = await connect(sites, route, "echo")
      await link.echo(Buffer.from("x"))
      link.close()
    }
  }
  return await measured(route, amount.connections, () => Promise.all(times(amount.lanes).map(lane)))
}

interface Unit {
  readonly rate: string
  readonly cost: string
  /** Multiplies both figures. */
  readonly rateBy: number
  readonly costBy: number
}
const bytes: Unit = { rate: "MB/s", cost: "s of processor for each GB", rateBy: 1_000, costBy: 0.001 }
const connections: Unit = { rate: "/s", cost: "ms of processor each", rateBy: 1, costBy: 1 }

/** Measures the routes in turns, so that other load on the machine affects all of them. The first route is the pipe. */
const compare = Effect.fnUntraced(function* (
  label: string,
  unit: Unit,
  [pipe, ...routes]: readonly [Route, ...ReadonlyArray<Route>],
  measure: (route: Route) => Promise<Figures>,
  aim = Infinity
) {
  const found = new Map<Route, Array<Figures>>()
  for (const round of times(rounds + 1))
    for (const route of [pipe, ...routes]) {
      const figures = yield* Effect.promise(() => measure(route))
      // The first round warms up.
      if (round > 0) found.set(route, [...(found.get(route) ?? []), figures])
    }
  const of = (route: Route, figure: keyof Figures) => (found.get(route) ?? []).map((figures) => figures[figure])
  yield* Console.log(`\n${label}`)
  const ratios = routes.map((route) => median(of(route, "cost").map((cost, n) => cost / (of(pipe, "cost")[n] ?? 0))))
  for (const [index, route] of [pipe, ...routes].entries()) {
    const ratio = ratios[index - 1]
    yield* Console.log(
      `  ${route.label.padEnd(20)} ${(median(of(route, "rate")) * unit.rateBy).toFixed(0).padStart(7)} ${unit.rate}, ` +
        `${(median(of(route, "cost")) * unit.costBy).toFixed(3)} ${unit.cost}` +
        (ratio === undefined ? "" : `, ${ratio.toFixed(2)} of the pipe`) +
        (ratio !== undefined && index === 1 && ratio > aim ? `  MISSES ${aim}` : "")
    )
  }
  return (ratios[0] ?? 0) <= aim
})

/** The memory that idle connections take. Comes first, because a process keeps memory that it does not need any more. */
const idle = Effect.fnUntraced(function* (sites: Sites, routes: ReadonlyArray<Route>) {
  yield* Console.log(`\n${amount.idle} idle connections`)
  for (const route of routes) {
    const first = yield* Effect.promise(() => connectAll(sites, route, amount.lanes, "echo"))
    for (const link of first) link.close()
    yield* route.side.collect
    const before = residentBytes(route.side.pid)
    const links = yield* Effect.promise(() => connectAll(sites, route, amount.idle, "echo"))
    yield* route.side.collect
    const each = (residentBytes(route.side.pid) - before) / amount.idle / 1_024
    yield* Console.log(`  ${route.label.padEnd(20)} ${each.toFixed(1).padStart(7)} KiB each`)
    for (const link of links) link.close()
  }
})

const message = Buffer.alloc(1_024, "x")

/** One client that asks again as soon as it has its answer. */
const echoes = async (sites: Sites, route: Route) => {
  const link = await connect(sites, route, "echo")
  const samples: Array<number> = []
  for (let asked = 0; asked < amount.echoes; asked++) samples.push(await link.echo(message))
  link.close()
  return percentiles(samples).p95
}

const slowClients = Effect.fnUntraced(function* (sites: Sites, { port, way }: Route) {
  const ready = Deferred.makeUnsafe<void>()
  const env = { PORT: `${port}`, DESTINATION: `${sites.destination}`, WAY: way, COUNT: `${amount.slow}` }
  yield* start(new URL("./gateway/SlowClients.ts", import.meta.url), env, () => Deferred.doneUnsafe(ready, Effect.void))
  yield* Deferred.await(ready)
})

/** The p95 of one client, alone and beside slow ones; the best of a few rounds, because other load only adds. */
const besideSlow = Effect.fnUntraced(function* (sites: Sites, route: Route) {
  const best = Effect.map(
    Effect.forEach(times(rounds), () => Effect.promise(() => echoes(sites, route))),
    (found) => Math.min(...found)
  )
  yield* best
  const alone = yield* best
  const beside = yield* Effect.scoped(Effect.andThen(slowClients(sites, route), best))
  const growth = beside / alone
  yield* Console.log(
    `\nOne client that echoes 1 KiB, alone and beside ${amount.slow} slow clients\n  ${route.label.padEnd(20)} ` +
      `p95 ${alone.toFixed(3)} and ${beside.toFixed(3)} ms, ratio ${growth.toFixed(2)}` +
      (growth > aims.growth ? `  MISSES ${aims.growth.toFixed(2)}` : "")
  )
  return growth <= aims.growth
})

const run = Effect.gen(function* () {
  const cpu = os.cpus()
  const load = os.loadavg()[0]?.toFixed(1)
  yield* Console.log(`${cpu.length} x ${cpu[0]?.model}, Node ${process.version}, load ${load}`)
  const sites = yield* open
  if (sites.others.length === 0) yield* Console.log("No gateway in C is installed (tinyproxy), so none is measured")
  const { http, others, pipe, socks } = routesOf(sites)
  const forHttp = [pipe, http, ...others] as const
  yield* idle(sites, forHttp)
  const met = [
    yield* compare("download, one connection", bytes, forHttp, download(sites, 1), aims.cost),
    yield* compare(`download, ${amount.links} connections`, bytes, forHttp, download(sites, amount.links), aims.cost),
    yield* compare("upload, one connection", bytes, forHttp, upload(sites), aims.cost),
    yield* compare("new connections", connections, [pipe, http, socks, ...others], openings(sites))
  ]
  met.push(yield* besideSlow(sites, http))
  const missed = met.filter((isMet) => !isMet).length
  if (missed > 0) return yield* Effect.die(new Error(`${missed} of ${met.length} aims are missed`))
})

NodeRuntime.runMain(run.pipe(Effect.scoped, Effect.timeout("6 minutes")))
