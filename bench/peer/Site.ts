import { NodeCrypto } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { DateTime, Deferred, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeys } from "../../src/accounts/api-keys/ApiKeys.ts"
import type { UserId } from "../../src/accounts/User.ts"
import { OrderListsRepo } from "../../src/orders/OrderListsRepo.ts"
import * as OrderTallies from "../../src/orders/OrderTallies.ts"
import * as Database from "../../src/platform/postgres/Database.ts"
import type { EmbeddedPostgres } from "../../src/platform/postgres/EmbeddedPostgres.ts"
import { Wallets } from "../../src/wallet/Wallets.ts"
import { freePort } from "../../test/support/FreePort.ts"
import * as Fixtures from "../../test/support/Fixtures.ts"
import * as ChildProgram from "../ChildProgram.ts"
import { times } from "../Ratio.ts"
import { seedOrders } from "../SeededOrders.ts"
import { connections, wire } from "./Load.ts"
import { Profile } from "./Profile.ts"
import { type Question, Usage } from "./Usage.ts"

/** The account whose wallet pays, and its credential. */
export interface Customer {
  readonly user_id: UserId
  readonly api_key_id: string
  readonly key: string
}

export interface Plan {
  readonly orders: number
  /** The numbers of clients at once. Each client of the largest number is a customer. */
  readonly lanes: ReadonlyArray<number>
  /** True when purchases at the gateway are measured too. */
  readonly gateway: boolean
  /** True when the usual service is measured too. */
  readonly nest: boolean
  /** True when the service with two workers is measured too. */
  readonly workers: boolean
  readonly seed: number
}

const million = 1_000_000_000_000n

const customer = Effect.gen(function* () {
  const user_id = yield* Fixtures.newUser
  yield* Fixtures.fund(user_id, million)
  const { apiKey, key } = yield* ApiKeys.use((keys) => keys.create(user_id, { name: "bench" }))
  return { user_id, api_key_id: apiKey.id, key } satisfies Customer
})

const domains = Layer.mergeAll(ApiKeys.layer, Wallets.layer, OrderListsRepo.layer).pipe(Layer.provide(NodeCrypto.layer))

/** A migrated database with this number of orders, a tenth of them of one account, and a customer for each lane. */
const seeded = Effect.fnUntraced(function* ({ lanes, orders, seed }: Plan) {
  const sql = yield* SqlClient.SqlClient
  const owner = yield* customer
  const buyers = yield* Effect.forEach(times(Math.max(...lanes)), () => customer)
  const now = DateTime.toDate(yield* DateTime.now)
  const own = PgClient.layer({ ...(yield* PgClient.PgClient).config, maxConnections: 1 })
  const size = { orders, ofLarge: orders / 10, traffic: false }
  yield* Effect.provide(seedOrders(owner.user_id, size, seed, now), own)
  yield* OrderTallies.run
  // Keeps jobs from working on rows that exist only as ballast.
  yield* sql`UPDATE proxy_order SET provision_at = ${DateTime.toDate(DateTime.makeUnsafe("2100-01-01"))} WHERE status = 'paid'`
  yield* sql`VACUUM (ANALYZE)`
  const own_orders = yield* sql<{ id: string }>`
    SELECT id FROM proxy_order WHERE user_id = ${owner.user_id} ORDER BY created_at DESC LIMIT 1000
  `
  return { owner, buyers, orderIds: own_orders.map(({ id }) => id) }
})

const decodeProfile = Schema.decodeUnknownSync(Profile)
const decodeUsage = Schema.decodeUnknownSync(Usage)

/** A server in another process: its port once it answers, its usage, and its profile during an effect. */
const program = Effect.fnUntraced(function* (file: URL, url: string, more: Readonly<Record<string, string>> = {}) {
  const port = yield* freePort
  let asked = Deferred.makeUnsafe<unknown>()
  const env = {
    PORT: String(port),
    DATABASE_URL: url,
    BLOCKLISTS: "none",
    // Five connections of the service always listen; the rest are as many as the peer has.
    DATABASE_POOL: "25",
    LOG_LEVEL: "Warn",
    NODE_ENV: "production",
    RATE_LIMIT_PER_MINUTE: "1000000",
    ...more
  }
  const tell = (message: unknown) => void Deferred.doneUnsafe(asked, Effect.succeed(message))
  const child = yield* ChildProgram.start(file, env, tell)
  yield* Effect.scoped(
    Effect.gen(function* () {
      const [connection] = yield* connections(port, 1)
      const answer = yield* Effect.tryPromise(() => connection!.ask(wire("GET", "/v1/catalog", {}), true))
      if (answer.status !== 200 || answer.body.length < 1000) return yield* Effect.fail("not ready")
    })
  ).pipe(Effect.retry(Schedule.spaced("100 millis")), Effect.timeout("30 seconds"))
  const ask = (question: Question) =>
    Effect.suspend(() => {
      asked = Deferred.makeUnsafe<unknown>()
      child.send(question)
      return Deferred.await(asked)
    })
  const used = Effect.map(ask("usage"), decodeUsage)
  const profiled = <E, R>(work: Effect.Effect<unknown, E, R>) =>
    Effect.andThen(Effect.andThen(ask("start profile"), work), Effect.map(ask("stop profile"), decodeProfile))
  return { port, used, profiled }
})

/** A database of some size, with the service and the others on it. */
export const open = Effect.fnUntraced(function* (server: EmbeddedPostgres, plan: Plan) {
  const database = `orders_${plan.orders}`
  yield* Effect.provide(
    SqlClient.SqlClient.use((sql) => sql`CREATE DATABASE ${sql(database)}`),
    Database.layerPool({ ...server, maxConnections: 1 })
  )
  const connection = { ...server, database }
  const pool = Database.layerWith({ ...connection, maxConnections: 2 })
  /**
   * Makes every connection plan its statements again. Plans from the time when a table was small scan all of it, until
   * the server analyzes the table by itself.
   */
  const analyze = Effect.provide(
    SqlClient.SqlClient.use((sql) => sql`ANALYZE`),
    Database.layerPool({ ...connection, maxConnections: 1 })
  )
  const held = yield* Effect.provide(seeded(plan), Layer.provideMerge(domains, pool))
  const url = `postgres:///${database}?user=${server.username}&host=${encodeURIComponent(server.host)}&port=${server.port}`
  const ofService = new URL("./Service.ts", import.meta.url)
  const service = yield* program(ofService, url)
  const workers = plan.workers ? yield* program(ofService, url, { WORKERS: "2" }) : undefined
  const peer = yield* program(new URL("./Peer.ts", import.meta.url), url)
  const nest = plan.nest ? yield* program(new URL("../nest/Start.ts", import.meta.url), url) : undefined
  return { ...held, ...plan, connection, analyze, service, workers, peer, nest }
})

export type Program = Effect.Success<ReturnType<typeof program>>
export type Site = Effect.Success<ReturnType<typeof open>>
