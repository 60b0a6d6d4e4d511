import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import * as os from "node:os"
import { connections, type Once, run as drive, wire } from "./peer/Load.ts"
import * as Postgres from "./peer/Postgres.ts"
import { median } from "./peer/Report.ts"
import { open, type Site } from "./peer/Site.ts"
import { times } from "./Ratio.ts"

const plan = { orders: 1000, lanes: [1], gateway: false, nest: false, workers: false, seed: 0.42 }
const pace = { rounds: 5, millis: 500, warmUpMillis: 3000 }
/** The newest revision with sessions. Its answers have structured content beside the text. */
const revision = "2025-11-25"

interface Pair {
  readonly label: string
  readonly tool: Once
  /** The route with the same effect. */
  readonly rest: Once
  /** The share of the route's rate that the tool keeps under any other load. */
  readonly aim: number
}

const message = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params })

/** The headers of a tool call in a session. */
const openSession = Effect.fnUntraced(function* ({ owner, service }: Site) {
  const headers = { "x-api-key": owner.key, accept: "application/json, text/event-stream" }
  const clientInfo = { name: "bench", version: "1" }
  const { headers: answered } = yield* Effect.promise(() =>
    fetch(`http://127.0.0.1:${service.port}/mcp`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(message("initialize", { protocolVersion: revision, capabilities: {}, clientInfo }))
    })
  )
  return { ...headers, "mcp-session-id": answered.get("mcp-session-id") ?? "", "mcp-protocol-version": revision }
})

const pairs = Effect.fnUntraced(function* (site: Site) {
  const [connection] = yield* connections(site.service.port, 1)
  const session = yield* openSession(site)
  const ask = (requests: ReadonlyArray<Buffer>): Once => {
    let next = 0
    return async () => {
      const { body, head, status } = await connection!.ask(requests[next++ % requests.length]!, next === 1)
      if (status !== 200 || body.includes(`"isError":true`)) throw new Error(`${head}\n${body}`)
    }
  }
  const call = (name: string, given: object) =>
    wire("POST", "/mcp", session, message("tools/call", { name, arguments: given }))
  const catalog = ask([wire("GET", "/v1/catalog", {})])
  const ids = site.orderIds
  const all: ReadonlyArray<Pair> = [
    { label: "list_offers of 200, csv", tool: ask([call("list_offers", {})]), rest: catalog, aim: 0.1 },
    {
      label: "list_offers of 200, json",
      tool: ask([call("list_offers", { response_format: "json" })]),
      rest: catalog,
      aim: 0.1
    },
    {
      label: "get_order",
      tool: ask(ids.map((order_id) => call("get_order", { order_id }))),
      rest: ask(ids.map((id) => wire("GET", `/v1/orders/${id}`, { "x-api-key": site.owner.key }))),
      aim: 0.4
    }
  ]
  return all
})

const measure = Effect.fnUntraced(function* ({ service }: Site, once: Once, millis = pace.millis) {
  const before = (yield* service.used).processorMillis
  const { rate, samples } = yield* drive(1, millis, once)
  return { rate, processor: ((yield* service.used).processorMillis - before) / samples.length }
})

/** Measures a tool and its route in turns, so that other load on the machine affects both. */
const compare = Effect.fnUntraced(function* (site: Site, { aim, label, rest, tool }: Pair) {
  for (const once of [tool, rest]) yield* measure(site, once, pace.warmUpMillis)
  const rounds = yield* Effect.forEach(times(pace.rounds), () =>
    Effect.all({ rest: measure(site, rest), tool: measure(site, tool) })
  )
  const of = (side: "rest" | "tool", figure: "rate" | "processor") => median(rounds.map((round) => round[side][figure]))
  const ratio = (figure: "rate" | "processor") => median(rounds.map(({ rest, tool }) => tool[figure] / rest[figure]))
  yield* Console.log(
    `${label}: ${of("tool", "rate").toFixed(0)}/s, ${of("tool", "processor").toFixed(3)} ms of processor time; ` +
      `the route ${of("rest", "rate").toFixed(0)}/s, ${of("rest", "processor").toFixed(3)} ms; ` +
      `ratios ${ratio("rate").toFixed(2)} and ${ratio("processor").toFixed(1)}` +
      (ratio("rate") < aim ? `  MISSES ${aim}` : "")
  )
  return ratio("rate") >= aim
})

const run = Effect.gen(function* () {
  const cpu = os.cpus()
  const load = os.loadavg()[0]?.toFixed(1)
  yield* Console.log(`${cpu.length} x ${cpu[0]?.model}, Node ${process.version}, load ${load}\n`)
  const site = yield* open(yield* Postgres.start, plan)
  const met = yield* Effect.forEach(yield* pairs(site), (pair) => compare(site, pair))
  const missed = met.filter((isMet) => !isMet).length
  if (missed > 0) return yield* Effect.die(new Error(`${missed} of ${met.length} aims are missed`))
})

NodeRuntime.runMain(run.pipe(Effect.scoped, Effect.timeout("2 minutes")))
