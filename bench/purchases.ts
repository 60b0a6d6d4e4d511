import { NodeCrypto, NodeRuntime } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { ApiKeys } from "../src/accounts/api-keys/ApiKeys.ts"
import * as Database from "../src/platform/postgres/Database.ts"
import * as EmbeddedPostgres from "../src/platform/postgres/EmbeddedPostgres.ts"
import { Wallets } from "../src/wallet/Wallets.ts"
import { freePort } from "../test/support/FreePort.ts"
import * as Fixtures from "../test/support/Fixtures.ts"
import { bareCommits } from "./BareCommits.ts"
import * as ChildProgram from "./ChildProgram.ts"
import { percentiles } from "./Latency.ts"
import { connections, run as drive, wire } from "./peer/Load.ts"
import { firstAnswer } from "./ProxyAnswer.ts"
import { times } from "./Ratio.ts"

const [option = "", ...others] = process.argv.slice(2)
const [, beside] = /^--beside=(.+)$/.exec(option) ?? []
if (others.length > 0 || (option !== "" && beside === undefined)) {
  process.stderr.write(
    "Give --beside=FOLDER, the folder of another checkout to measure in turn with this one, or nothing.\n"
  )
  process.exit(1)
}

const lanes = 64
const rounds = 7
const millis = 2500
/** Proxies that are bought one by one and used immediately. */
const used = 30
const million = 1_000_000_000_000n

const here = path.resolve(import.meta.dirname, "..")
const checkouts = beside === undefined ? [here] : [here, path.resolve(beside)]

/** The provider of a line: the program of a checkout, its settings, and the name of the bought offer; else the first. */
const lines = [
  { label: "the built-in gateway", program: "src/main.ts", args: ["serve"], offer: "", watched: false },
  {
    label: "an instant provider, with webhooks",
    program: "bench/peer/Service.ts",
    args: [],
    offer: "Datacenter 0",
    watched: true
  }
] as const
type Line = (typeof lines)[number]

const postgres = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "purchases-bench-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  fs.chmodSync(directory, 0o755)
  return { ...(yield* EmbeddedPostgres.start({ directory })), directory }
})

/** Answers every request: the destination of the proxies, and the receiver of the webhooks. */
const receiver = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<Server>((resolve) => {
        const server = createServer((request, response) => {
          request.resume()
          response.writeHead(204).end()
        }).listen(0, "127.0.0.1", () => resolve(server))
      })
  ),
  (server) => Effect.sync(() => void server.close())
).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

interface Plan {
  readonly line: Line
  readonly checkout: string
  readonly number: number
  readonly receiver: number
}

/** The service of a checkout on its own database, and a customer for each lane. */
const open = Effect.fnUntraced(function* (
  { directory, ...server }: Effect.Success<typeof postgres>,
  { checkout, line, number, receiver }: Plan
) {
  const database = `purchases_${number}`
  const connection = { ...server, database }
  yield* Effect.provide(
    SqlClient.SqlClient.use((sql) => sql`CREATE DATABASE ${sql(database)}`),
    PgClient.layer({ ...server, maxConnections: 1 })
  )
  const port = yield* freePort
  const env = {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: path.join(directory, database),
    DATABASE_URL: `postgres:///${database}?user=${server.username}&host=${encodeURIComponent(server.host)}&port=${server.port}`,
    GATEWAY_PORTS: `${12_000 + number * 5000}-${16_999 + number * 5000}`,
    GATEWAY_ALLOW: `127.0.0.1:${receiver}`,
    OUTBOUND_ALLOW: `127.0.0.1:${receiver}`,
    BLOCKLISTS: "none",
    LOG_LEVEL: "Error",
    RATE_LIMIT_PER_MINUTE: "1000000"
  }
  yield* ChildProgram.start(pathToFileURL(path.join(checkout, line.program)), env, () => {}, line.args, "ignore")
  const offers = Effect.gen(function* () {
    const [asking] = yield* connections(port, 1)
    return yield* Effect.tryPromise(async () => {
      const { body } = await asking!.ask(wire("GET", "/v1/catalog?kind=datacenter&is_available=true", {}), true)
      const offers: ReadonlyArray<{ id: number; name: string }> = JSON.parse(body).kinds[0].offers
      return offers.find(({ name }) => name.startsWith(line.offer))!.id
    })
  }).pipe(Effect.scoped)
  const offer_id = yield* offers.pipe(Effect.retry(Schedule.spaced("200 millis")), Effect.timeout("60 seconds"))
  const pool = Database.layerPool({ ...connection, maxConnections: 2 })
  const domains = Layer.mergeAll(ApiKeys.layer, Wallets.layer).pipe(Layer.provide(NodeCrypto.layer))
  const customer = Effect.gen(function* () {
    const user_id = yield* Fixtures.newUser
    yield* Fixtures.fund(user_id, million)
    if (line.watched) yield* Fixtures.newEndpoint(user_id, { url: `http://127.0.0.1:${receiver}/` })
    return (yield* ApiKeys.use((keys) => keys.create(user_id, { name: "bench" }))).key
  })
  const keys = yield* Effect.provide(
    Effect.forEach(times(lanes), () => customer),
    Layer.provideMerge(domains, pool)
  )
  const body = { offer_id, payment_method: "wallet", protocol: "HTTP", quantity: 1, period_days: 30 }
  const buy = (lane: number) =>
    wire("POST", "/v1/orders", { "x-api-key": keys[lane]!, "idempotency-key": randomUUID() }, body)
  return { connection, port, buy }
})

type Shop = Effect.Success<ReturnType<typeof open>>

const commits = ({ connection }: Shop) =>
  Effect.provide(
    SqlClient.SqlClient.use(
      (sql) => sql<{ commits: string }>`
        SELECT xact_commit::text AS commits FROM pg_stat_database WHERE datname = current_database()
      `
    ),
    PgClient.layer({ ...connection, maxConnections: 1 })
  ).pipe(Effect.map(([row]) => Number(row?.commits)))

/** Purchases and commits in a second; each lane buys one proxy after the other. */
const once = Effect.fnUntraced(function* (shop: Shop) {
  const before = yield* commits(shop)
  const lane = yield* connections(shop.port, lanes)
  const { rate, samples } = yield* drive(lanes, millis, async (n) => {
    const { body, status } = await lane[n]!.ask(shop.buy(n), true)
    if (status !== 201) throw new Error(`a purchase was answered with ${status} ${body}`)
  })
  // PostgreSQL counts a commit up to a second later.
  yield* Effect.sleep("1200 millis")
  const after = yield* commits(shop)
  return { rate, commits: ((after - before) * rate) / samples.length, ...percentiles(samples) }
}, Effect.scoped)

/** Milliseconds from the answer of a purchase until the proxy has answered a request. */
const delays = Effect.fnUntraced(function* (shop: Shop, destination: number) {
  const [asking] = yield* connections(shop.port, 1)
  return yield* Effect.forEach(times(used), () =>
    Effect.promise(async () => {
      const { body } = await asking!.ask(shop.buy(0), true)
      return firstAnswer(JSON.parse(body)[0].proxy_access[0], destination)
    })
  )
}, Effect.scoped)

const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const cells = (...values: ReadonlyArray<number>) => values.map((value) => value.toFixed(1).padStart(10)).join("")
const nameOf = (checkout: string) => (checkout === here ? "this checkout" : "the other")

const measure = Effect.fnUntraced(function* (line: Line, server: Effect.Success<typeof postgres>, first: number) {
  const destination = yield* receiver
  const shops = yield* Effect.forEach(checkouts, (checkout, index) =>
    open(server, { line, checkout, number: first + index, receiver: destination })
  )
  const found = shops.map((): Array<Effect.Success<ReturnType<typeof once>>> => [])
  const waits = shops.map((): Array<number> => [])
  for (const shop of shops) yield* once(shop)
  for (const round of times(rounds))
    for (const step of times(shops.length)) {
      const index = (round + step) % shops.length
      if (!line.watched) waits[index]!.push(...(yield* delays(shops[index]!, destination)))
      found[index]!.push(yield* once(shops[index]!))
    }
  yield* Console.log(
    `\n${line.label.padEnd(34)}${["buys/s", "commits/s", "p50 ms", "p95"].map((name) => name.padStart(10)).join("")}`
  )
  for (const [index, rounds] of found.entries()) {
    const of = (field: "rate" | "commits" | "p50" | "p95") => median(rounds.map((round) => round[field]))
    yield* Console.log(
      `${nameOf(checkouts[index]!).padEnd(34)}${cells(of("rate"), of("commits"), of("p50"), of("p95"))}`
    )
    yield* Console.log(`  rounds, buys/s: ${rounds.map(({ rate }) => rate.toFixed(0)).join(" ")}`)
    const { p50, p95, p99 } = percentiles(waits[index]!)
    if (!line.watched) yield* Console.log(`  from the answer to the use of the proxy, ms:${cells(p50, p95, p99)}`)
  }
  const [own, other] = found
  const ratios = (field: "rate" | "commits") => own!.map((round, n) => round[field] / other![n]![field])
  if (other !== undefined)
    yield* Console.log(
      `this checkout by the other: ${median(ratios("rate")).toFixed(2)} of the purchases, ${median(ratios("commits")).toFixed(2)} of the commits`
    )
  return shops.map(({ connection }) => connection)
}, Effect.scoped)

/** The commits of the database alone, on the databases of the gateway's line. */
const bare = Effect.fnUntraced(function* (databases: ReadonlyArray<Shop["connection"]>) {
  const found = databases.map((): Array<number> => [])
  for (const round of times(rounds))
    for (const step of times(databases.length)) {
      const index = (round + step) % databases.length
      found[index]!.push(yield* bareCommits(databases[index]!, lanes, millis))
    }
  yield* Console.log("\nchanges of gateway proxies in PostgreSQL alone, commits/s")
  for (const [index, rates] of found.entries())
    yield* Console.log(
      `${nameOf(checkouts[index]!).padEnd(34)}${cells(median(rates))}  rounds: ${rates.map((rate) => rate.toFixed(0)).join(" ")}`
    )
  const [own, other] = found
  if (other !== undefined)
    yield* Console.log(`this checkout by the other: ${median(own!.map((rate, n) => rate / other[n]!)).toFixed(2)}`)
})

const run = Effect.gen(function* () {
  const cpu = os.cpus()
  yield* Console.log(
    `${cpu.length} x ${cpu[0]?.model}, load ${os.loadavg()[0]?.toFixed(1)}; ${lanes} lanes, ${rounds} rounds of ${millis} ms each`
  )
  const server = yield* postgres
  const [gateway, webhooks] = lines
  const databases = yield* measure(gateway, server, 0)
  yield* measure(webhooks, server, checkouts.length)
  yield* bare(databases)
})

NodeRuntime.runMain(run.pipe(Effect.scoped, Effect.timeout("10 minutes")))
