import { NodeRuntime } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Console, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as os from "node:os"
import { UserId } from "../src/accounts/User.ts"
import * as Logging from "../src/platform/Logging.ts"
import * as Browser from "../test/support/Browser.ts"
import * as GatewayShop from "../test/support/GatewayShop.ts"
import * as HeldPorts from "../test/support/HeldPorts.ts"
import { pageAddresses } from "../test/support/PageAddresses.ts"
import { heading, line, percentiles, sample } from "./Latency.ts"
import * as PageIds from "./PageIds.ts"
import { walk } from "./PageWalk.ts"
import { seedOrders, type Size } from "./SeededOrders.ts"
import { postgres, serviceSandbox } from "./WholeService.ts"

/** The measured account has a thousand proxies. */
const size: Size = { orders: 10_000, ofLarge: 1000, traffic: true }
const seed = 0.42
const [warmUp, requests, tries] = [10, 30, 3]

/** Milliseconds at the 95th percentile on an idle machine, and bytes. */
const most = { page: 50, list: 100, bytes: 100_000 }

const origin = "http://localhost:8080"

/** Proxies that the walk does not make; their pages differ only in some cards. */
const unmade = /:(traffic|mobile|unpaid|failed|paid|failed)_(id|key|offer_id)/

/** Every page of the dashboard, and the long list with a search. */
const addresses = [
  ...Object.values(pageAddresses).flatMap(({ addresses, isOpen }) =>
    addresses.filter((address) => !unmade.test(address)).map((address) => ({ address, isOpen }))
  ),
  { address: "/app/proxies?q=10&sort=created", isOpen: false },
  { address: "/app/proxies/:seeded_id", isOpen: false }
]

const isLarge = (address: string) => address.startsWith("/app/proxies")

/** Gives the account of the walk its orders, and answers the ids of the addresses. */
const customer = Effect.fnUntraced(function* ({ browser, email, ids }: Effect.Success<ReturnType<typeof walk>>) {
  const sql = yield* SqlClient.SqlClient
  const [account] = yield* sql<{ id: string }>`
    UPDATE user_account SET email_verified = true WHERE email = ${email} RETURNING id
  `
  const user_id = UserId.make(account?.id ?? "")
  const own = PgClient.layer({ ...(yield* PgClient.PgClient).config, maxConnections: 1 })
  const now = DateTime.toDate(yield* DateTime.now)
  yield* Effect.provide(seedOrders(user_id, size, seed, now), own)
  const [order] = yield* sql<{ id: string }>`
    SELECT id FROM proxy_order WHERE user_id = ${user_id} AND status = 'provisioned' AND external_id = 'bench' LIMIT 1
  `
  const more = yield* PageIds.make(browser, origin, user_id)
  return { ...ids, ...more, seeded_id: order?.id ?? "" } as Record<string, string>
})

/** Opens a page; dies on any other answer, such as an error or the sign-in, which would be measured in its place. */
const opened = Effect.fnUntraced(function* (browser: ReturnType<typeof Browser.make>, address: string, at: string) {
  const page = yield* browser.open(`${origin}${at}`)
  if (page.status >= 400 !== address.includes("unknown") || new URL(page.url).pathname !== at.split("?")[0])
    return yield* Effect.die(new Error(`${address} answered ${page.status} at ${page.url}`))
  return page
})

/** Measures a page up to three times; it fails when it is too slow each time, or too large. */
const holds = Effect.fnUntraced(function* (browser: ReturnType<typeof Browser.make>, address: string, at: string) {
  const get = opened(browser, address, at)
  const bytes = Buffer.byteLength((yield* get).text)
  const limit = isLarge(address) ? most.list : most.page
  yield* sample(warmUp, get)
  for (let round = 1; round <= tries; round += 1) {
    const samples = yield* sample(requests, get)
    const isFast = percentiles(samples).p95 <= limit
    yield* Console.log(
      line(`${address}, ${(bytes / 1000).toFixed(0)} KB`, samples) + (isFast ? "" : `  ABOVE ${limit} ms`)
    )
    if (isFast) return bytes <= most.bytes
  }
  return false
})

const run = Effect.gen(function* () {
  const cpu = os.cpus()
  yield* Console.log(`${cpu.length} x ${cpu[0]?.model}, Node ${process.version}, load ${os.loadavg()[0]?.toFixed(1)}`)
  const walked = yield* walk(origin)
  yield* Console.log(`From the registration to a proxy: ${walked.ms.toFixed(0)} ms`)
  const ids = yield* customer(walked)
  const guest = yield* Browser.forServer(origin)
  yield* Console.log(`\n${heading}`)
  const met = yield* Effect.forEach(addresses, ({ address, isOpen }) => {
    const at = address.replace(/:([a-z_]+)/g, (_, id: string) => ids[id] ?? "")
    return holds(isOpen ? guest : walked.browser, address, at)
  })
  const missed = met.filter((isMet) => !isMet).length
  if (missed > 0) return yield* Effect.die(new Error(`${missed} of ${met.length} pages are too slow or too large`))
})

const main = Effect.gen(function* () {
  const goods = Layer.merge(HeldPorts.layer, GatewayShop.layer())
  const world = Layer.provideMerge(goods, serviceSandbox({ ...(yield* postgres), maxConnections: 8 }))
  yield* Effect.provide(run, world)
}).pipe(Effect.provide(Logging.layer), Effect.scoped, Effect.timeout("10 minutes"))

NodeRuntime.runMain(main)
