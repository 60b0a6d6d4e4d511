import { NodeCrypto, NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { UserId } from "../src/accounts/User.ts"
import * as CatalogSync from "../src/catalog/CatalogSync.ts"
import { CatalogSyncRepo } from "../src/catalog/CatalogSyncRepo.ts"
import { Addresses } from "../src/platform/settings/Addresses.ts"
import * as Database from "../src/platform/postgres/Database.ts"
import * as EmbeddedPostgres from "../src/platform/postgres/EmbeddedPostgres.ts"
import * as Logging from "../src/platform/Logging.ts"
import { Mailer } from "../src/platform/mail/Mailer.ts"
import { OutboundHttp } from "../src/platform/outbound/OutboundHttp.ts"
import { RateLimit } from "../src/platform/requests/RateLimit.ts"
import * as Services from "../src/Services.ts"
import { newKey, session } from "../test/mcp/McpTesting.ts"
import * as Fixtures from "../test/support/Fixtures.ts"
import { MemoryBlocklists } from "../test/support/MemoryBlocklists.ts"
import { MemoryIpVendors } from "../test/support/MemoryIpVendors.ts"
import { datacenter } from "../test/support/MemoryOffers.ts"
import { MemoryPaymentGateways } from "../test/support/MemoryPaymentGateways.ts"
import { MemoryProvider } from "../test/support/MemoryProvider.ts"
import { config, serverAlone } from "../test/support/TestRoutes.ts"
import { compare, rate, times } from "./Ratio.ts"

const offers = 200
const calls = { list_offers: 100, get_order: 200 }
/** Shares of the REST route's rate that a tool keeps under any other load. */
const aims = { list_offers: 0.2, get_order: 0.5 }

const postgres = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "tools-bench-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  fs.chmodSync(directory, 0o755)
  return yield* EmbeddedPostgres.start({ directory })
})

const provider = MemoryProvider.layerOf({
  offers: times(offers).map((n) => ({ ...datacenter, external_id: `offer ${n}`, name: `Offer ${n}` }))
})

const world = Layer.mergeAll(
  MemoryBlocklists.layer,
  MemoryIpVendors.layer,
  MemoryPaymentGateways.layer,
  RateLimit.layer,
  Mailer.layerMemory,
  OutboundHttp.layerWith({ allow: { has: () => false } }),
  provider
)

const service = serverAlone.pipe(
  Layer.provideMerge(Services.layer),
  Layer.provideMerge(world),
  Layer.provideMerge([Addresses.layer, NodeCrypto.layer]),
  Layer.provide(config({ RATE_LIMIT_PER_MINUTE: "1000000" }))
)

const side = <E, R>(name: keyof typeof calls, effect: Effect.Effect<unknown, E, R>) =>
  rate(calls[name], 1, () => effect)

/** A tool and the REST route with the same effect, in turn. */
const run = Effect.gen(function* () {
  yield* Effect.provide(CatalogSync.run, CatalogSyncRepo.layer)
  const { account, credential } = yield* newKey()
  yield* Fixtures.fund(UserId.make(account.id), 100_000_000n)
  const { call } = yield* session(credential)
  const { answer } = yield* call("list_offers", { response_format: "json" })
  const { answer: bought } = yield* call("create_proxy_order", {
    offer_id: answer.offers[0].id,
    quantity: 1,
    payment_method: "wallet",
    idempotency_key: "bench",
    confirm: true
  })
  const order_id = bought.orders[0].id as string
  const rest = (path: string) =>
    Effect.flatMap(
      HttpClient.execute(HttpClientRequest.get(path).pipe(HttpClientRequest.setHeaders(credential))),
      ({ text }) => text
    )
  const met = [
    yield* compare(
      `list_offers of ${offers}, csv`,
      aims.list_offers,
      side("list_offers", call("list_offers")),
      side("list_offers", rest("/v1/catalog"))
    ),
    yield* compare(
      `list_offers of ${offers}, json`,
      aims.list_offers,
      side("list_offers", call("list_offers", { response_format: "json" })),
      side("list_offers", rest("/v1/catalog"))
    ),
    yield* compare(
      "get_order",
      aims.get_order,
      side("get_order", call("get_order", { order_id })),
      side("get_order", rest(`/v1/orders/${order_id}`))
    )
  ]
  const missed = met.filter((isMet) => !isMet).length
  if (missed > 0) return yield* Effect.die(new Error(`${missed} of ${met.length} aims are missed`))
})

const main = Effect.gen(function* () {
  const cpu = os.cpus()
  yield* Console.log(`${cpu.length} x ${cpu[0]?.model}, Node ${process.version}; the yardstick is the REST route\n`)
  const database = yield* postgres
  yield* Effect.provide(run, Layer.provideMerge(service, Database.layerWith({ ...database, maxConnections: 8 })))
}).pipe(Effect.provide(Logging.layer), Effect.scoped, Effect.timeout("1 minute"))

NodeRuntime.runMain(main)
