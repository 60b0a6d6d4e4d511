import { NodeRuntime } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Console, DateTime, Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import * as os from "node:os"
import { OrderFilter } from "../src/orders/OrderFilter.ts"
import * as OrderTallies from "../src/orders/OrderTallies.ts"
import * as Logging from "../src/platform/Logging.ts"
import { heading, line, percentiles, sample } from "./Latency.ts"
import { explain, type Mode, type RecordedStatement, scansTheTable, StatementLog } from "./Plans.ts"
import { seedOrders, type Size } from "./SeededOrders.ts"
import { postgres, service } from "./WholeService.ts"

const size: Size = { orders: 1_000_000, ofLarge: 100_000, traffic: true }
const seed = 0.42
const warmUp = 5
const requests = 20
const tries = 3

/** In milliseconds, at the 95th percentile, on an idle machine. */
const target = { list: 20, traffic: 1000, yardstick: 5 }

const perhaps = <Key extends string>(key: Key, values: ReadonlyArray<string>) => [
  "",
  ...values.map((value) => `${key}=${value}`)
]

const { fields } = OrderFilter

const filters = perhaps("status", fields.status.schema.literals).flatMap((status) =>
  perhaps("proxy_type", fields.proxy_type.schema.literals).flatMap((type) =>
    perhaps("proxy_status", fields.proxy_status.schema.literals).map((live) =>
      [status, type, live].filter((part) => part !== "").join("&")
    )
  )
)

/** The smallest request with the same credentials: the time of the machine and of the way to the service. */
const yardstick = "/v1/users/me"

const Account = Schema.Struct({ access_token: Schema.String, user: Schema.Struct({ id: Schema.String }) })
const Total = Schema.Struct({ total: Schema.Int })

const register = Effect.gen(function* () {
  const request = HttpClientRequest.post("/v1/auth/register").pipe(
    HttpClientRequest.bodyJsonUnsafe({ email: "large@example.com", password: "correct horse battery" })
  )
  const response = yield* HttpClient.execute(request)
  return yield* Schema.decodeUnknownEffect(Account)(yield* response.json)
})

const getWith = (token: string) =>
  Effect.fnUntraced(function* (url: string) {
    const response = yield* HttpClient.execute(HttpClientRequest.get(url).pipe(HttpClientRequest.bearerToken(token)))
    const body = yield* response.json
    if (response.status !== 200) return yield* Effect.die(new Error(`${url} answered ${response.status}`))
    return body
  })

type Get = ReturnType<typeof getWith>

/** The measured requests: each filter with its first page, a deep one, the deepest, and the last. */
const casesOf = Effect.fnUntraced(function* (get: Get) {
  const counts = ["", "?proxy_type=datacenter", "?proxy_type=mobile"].map((query) => `/v1/orders/counts${query}`)
  const cases = [yardstick, ...counts].map((url) => ({ label: url, urls: [url] }))
  for (const filter of filters) {
    const { total } = yield* Schema.decodeUnknownEffect(Total)(yield* get(`/v1/orders?${filter}`))
    const deep = [Math.floor(total / 4), Math.floor(total / 2), Math.max(0, total - 50)]
    const pages = [0, ...(total === 0 ? [] : deep)]
    cases.push({
      label: `/v1/orders?${filter} (${total})`,
      urls: pages.map((offset) => `/v1/orders?${[filter, `offset=${offset}`].join("&")}`)
    })
  }
  return cases
})

type Cases = Effect.Success<ReturnType<typeof casesOf>>

type Case = Cases[number]

/**
 * Measures a case immediately after the yardstick. A slow yardstick means a busy machine, and the limit of the case
 * grows in proportion. A case that is too slow is measured again; it fails if it is too slow each time.
 */
const holds = Effect.fnUntraced(function* (get: Get, { label, urls }: Case, most: number, times: number) {
  for (let round = 1; round <= tries; round += 1) {
    const busy = percentiles(yield* sample(requests, get(yardstick))).p95 / target.yardstick
    const samples = (yield* Effect.forEach(urls, (url) => sample(times, get(url)))).flat()
    const allowed = most * Math.max(1, busy)
    const isFast = percentiles(samples).p95 <= allowed
    yield* Console.log(line(label, samples) + (isFast ? "" : `  ABOVE ${allowed.toFixed(0)} ms`))
    if (isFast) return true
  }
  return false
})

/** Answers the number of cases that were too slow. */
const measure = Effect.fnUntraced(function* (get: Get, cases: Cases) {
  yield* Console.log(`\n${heading}`)
  let slow = 0
  for (const one of cases) {
    yield* Effect.forEach(one.urls, (url) => sample(warmUp, get(url)))
    if (!(yield* holds(get, one, target.list, requests))) slow += 1
  }
  yield* Console.log(`${slow} of ${cases.length} above ${target.list} ms`)
  return slow
})

const traffic = Effect.fnUntraced(function* (get: Get) {
  let slow = 0
  for (const period of ["last_24h", "last_7d", "last_30d"]) {
    const url = `/v1/orders/traffic-usage/summary?period=${period}`
    if (!(yield* holds(get, { label: url, urls: [url] }, target.traffic, 5))) slow += 1
  }
  return slow
})

/** Every statement of the measured requests, once per text, with the parameters of its deepest page. */
const statementsOf = Effect.fnUntraced(function* (get: Get, cases: Cases) {
  const log = yield* StatementLog
  const found = new Map<string, RecordedStatement>()
  for (const url of cases.flatMap(({ urls }) => urls)) {
    const [, statements] = yield* log.during(get(url))
    for (const statement of statements) if (/order/.test(statement.text)) found.set(statement.text, statement)
  }
  return [...found.values()]
})

const plans = Effect.fnUntraced(function* (statements: ReadonlyArray<RecordedStatement>) {
  let scans = 0
  for (const statement of statements) {
    const modes: ReadonlyArray<Mode> = ["force_custom_plan", "force_generic_plan"]
    for (const mode of modes) {
      const plan = yield* explain(statement, mode)
      if (scansTheTable(plan)) scans += 1
      if (scansTheTable(plan) || mode === "force_custom_plan")
        yield* Console.log(["", statement.text.replaceAll(/\s+/g, " ").trim(), ...plan].join("\n"))
    }
  }
  yield* Console.log(`\n${statements.length} statements in two plan modes; ${scans} with a Seq Scan on proxy_order`)
  return scans
})

/** Changes one order of a hundred, anywhere in the table, without a vacuum. */
const churn = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`UPDATE proxy_order SET notes = 'changed' WHERE id IN (SELECT id FROM proxy_order TABLESAMPLE BERNOULLI (1))`
)

const run = Effect.gen(function* () {
  const account = yield* register
  const get = getWith(account.access_token)
  const sql = yield* SqlClient.SqlClient
  const now = DateTime.toDate(yield* DateTime.now)
  const cpu = os.cpus()
  yield* Console.log(
    `${cpu.length} x ${cpu[0]?.model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB, Node ${process.version}`
  )
  yield* Console.log(`${size.orders} orders, ${size.ofLarge} of the measured account; seed ${seed}`)
  const own = PgClient.layer({ ...(yield* PgClient.PgClient).config, maxConnections: 1 })
  const [seconds] = yield* sample(1, Effect.provide(seedOrders(account.user.id, size, seed, now), own))
  yield* Console.log(`seeded in ${((seconds ?? 0) / 1000).toFixed(0)} s`)
  const [compacted] = yield* sample(1, OrderTallies.run)
  yield* Console.log(`tallies brought up to date in ${(compacted ?? 0).toFixed(0)} ms`)

  const cases = yield* casesOf(get)
  let slow = (yield* measure(get, cases)) + (yield* traffic(get))
  yield* churn
  yield* Console.log("\nAfter one order of a hundred was changed, before a vacuum:")
  slow += yield* measure(
    get,
    cases.filter(({ label }) => !label.includes("&"))
  )
  yield* sql`VACUUM proxy_order`
  const scans = yield* plans(yield* statementsOf(get, cases))
  if (scans > 0 || slow > 0)
    return yield* Effect.die(new Error(`${scans} plans have a Seq Scan on proxy_order, ${slow} requests are too slow`))
})

const main = Effect.gen(function* () {
  const database = yield* postgres
  yield* Effect.provide(run, service({ ...database, maxConnections: 8 }))
}).pipe(Effect.provide(Logging.layer), Effect.scoped, Effect.timeout("5 minutes"))

NodeRuntime.runMain(main)
