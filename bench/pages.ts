import { NodeRuntime } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Console, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as os from "node:os"
import * as Logging from "../src/platform/Logging.ts"
import * as Browser from "../test/support/Browser.ts"
import { heading, line, percentiles, sample } from "./Latency.ts"
import { seedOrders, type Size } from "./SeededOrders.ts"
import { postgres, service } from "./WholeService.ts"

/** The measured account has a thousand proxies. */
const size: Size = { orders: 10_000, ofLarge: 1000, traffic: true }
const seed = 0.42
const [warmUp, requests, tries] = [10, 30, 3]

/** Milliseconds at the 95th percentile on an idle machine, and bytes. */
const most = { page: 50, list: 100, bytes: 100_000 }

const origin = "http://localhost:8080"
const password = "correct horse battery staple"
const email = "large@example.com"

const names = [
  "",
  "shop",
  "proxies",
  "proxies?q=10&sort=created",
  "wallet",
  "wallet/top-up",
  "keys",
  "webhooks",
  "ip-check",
  "notifications",
  "connections",
  "account",
  "account/sessions",
  "security"
]

/** Registers a person in a browser, and gives the account its orders. */
const customer = Effect.gen(function* () {
  const browser = yield* Browser.forServer(origin)
  yield* browser.open(`${origin}/app/register`)
  yield* browser.submit({ email, password })
  const sql = yield* SqlClient.SqlClient
  const [account] = yield* sql<{ id: string }>`SELECT id FROM user_account WHERE email = ${email}`
  const own = PgClient.layer({ ...(yield* PgClient.PgClient).config, maxConnections: 1 })
  const now = DateTime.toDate(yield* DateTime.now)
  yield* Effect.provide(seedOrders(account?.id ?? "", size, seed, now), own)
  const [order] = yield* sql<{ id: string }>`
    SELECT id FROM proxy_order WHERE user_id = ${account?.id ?? ""} AND status = 'provisioned' LIMIT 1
  `
  return { browser, order_id: order?.id ?? "" }
})

/** Measures a page up to three times; it fails when it is too slow each time, or too large. */
const holds = Effect.fnUntraced(function* (browser: ReturnType<typeof Browser.make>, name: string) {
  const get = browser.open(`${origin}/app/${name}`)
  const page = yield* get
  if (page.status !== 200) return yield* Effect.die(new Error(`/${name} answered ${page.status}`))
  const bytes = Buffer.byteLength(page.text)
  const limit = name.startsWith("proxies") ? most.list : most.page
  yield* sample(warmUp, get)
  for (let round = 1; round <= tries; round += 1) {
    const samples = yield* sample(requests, get)
    const isFast = percentiles(samples).p95 <= limit
    yield* Console.log(
      line(`/${name}, ${(bytes / 1000).toFixed(0)} KB`, samples) + (isFast ? "" : `  ABOVE ${limit} ms`)
    )
    if (isFast) return bytes <= most.bytes
  }
  return false
})

const run = Effect.gen(function* () {
  const cpu = os.cpus()
  yield* Console.log(`${cpu.length} x ${cpu[0]?.model}, Node ${process.version}, load ${os.loadavg()[0]?.toFixed(1)}`)
  const { browser, order_id } = yield* customer
  yield* Console.log(`\n${heading}`)
  const met = yield* Effect.forEach([...names, `proxies/${order_id}`], (name) => holds(browser, name))
  const missed = met.filter((isMet) => !isMet).length
  if (missed > 0) return yield* Effect.die(new Error(`${missed} of ${met.length} pages are too slow or too large`))
})

const main = Effect.gen(function* () {
  yield* Effect.provide(run, service({ ...(yield* postgres), maxConnections: 8 }))
}).pipe(Effect.provide(Logging.layer), Effect.scoped, Effect.timeout("3 minutes"))

NodeRuntime.runMain(main)
