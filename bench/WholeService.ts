import { NodeCrypto } from "@effect/platform-node"
import type { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { GatewayProxies } from "../src/gateway/GatewayProxies.ts"
import { OrderListsRepo } from "../src/orders/OrderListsRepo.ts"
import { Addresses } from "../src/platform/settings/Addresses.ts"
import * as Database from "../src/platform/postgres/Database.ts"
import * as EmbeddedPostgres from "../src/platform/postgres/EmbeddedPostgres.ts"
import { Mailer } from "../src/platform/mail/Mailer.ts"
import { OutboundHttp } from "../src/platform/outbound/OutboundHttp.ts"
import { RateLimit } from "../src/platform/requests/RateLimit.ts"
import * as GatewayProvider from "../src/provider/adapters/GatewayProvider.ts"
import { CallCounts } from "../src/provider/CallCounts.ts"
import { countCalls } from "../src/provider/CountCalls.ts"
import { Providers } from "../src/provider/Providers.ts"
import * as Services from "../src/Services.ts"
import { PaymentGateways } from "../src/wallet/gateways/PaymentGateways.ts"
import { MemoryBlocklists } from "../test/support/MemoryBlocklists.ts"
import { MemoryIpVendors } from "../test/support/MemoryIpVendors.ts"
import { MemoryPaymentGateways } from "../test/support/MemoryPaymentGateways.ts"
import { config, serverAlone } from "../test/support/TestRoutes.ts"
import { StatementLog } from "./Plans.ts"

// The whole service in the benchmark's own process.

/** This server need not survive a power cut: seeding writes a gigabyte. */
export const postgres = Effect.gen(function* () {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "proxy-rental-bench-"))),
    (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
  )
  fs.chmodSync(directory, 0o755)
  return yield* EmbeddedPostgres.start({ directory, settings: { fsync: "off", max_wal_size: "4GB" } })
})

const gateway = Layer.effect(
  Providers,
  Effect.gen(function* () {
    return Providers.from([countCalls(yield* GatewayProvider.make, yield* CallCounts)])
  })
).pipe(Layer.provide([CallCounts.layer, GatewayProxies.layer]))

/** Refuses nothing: one page is requested more often than a person may. */
const unlimited = Layer.succeed(
  RateLimit,
  RateLimit.of({ enforce: () => Effect.void, enforceAt: () => ({}), giveBack: () => Effect.void })
)

/** The parts of the service that reach outside. */
interface Outside<A, E, R> {
  readonly payments: Layer.Layer<PaymentGateways | A, E, R>
  readonly limits: typeof RateLimit.layer
}

const worldWith = <A, E, R>(options: PgClient.PgPoolConfig, { limits, payments }: Outside<A, E, R>) =>
  Layer.mergeAll(
    MemoryBlocklists.layer,
    MemoryIpVendors.layer,
    payments,
    limits,
    Mailer.layerMemory,
    OutboundHttp.layer,
    gateway
  ).pipe(Layer.provideMerge([Addresses.layer, Database.layerWith(options), NodeCrypto.layer]))

const serviceWith = <A, E, R>(options: PgClient.PgPoolConfig, outside: Outside<A, E, R>) =>
  serverAlone.pipe(
    Layer.provideMerge(Layer.merge(Services.layer, OrderListsRepo.layer)),
    Layer.provideMerge(worldWith(options, outside)),
    Layer.provideMerge(StatementLog.layer),
    Layer.provide(config({}))
  )

/** The whole service on a loopback port, with a client. */
export const service = (options: PgClient.PgPoolConfig) =>
  serviceWith(options, { payments: MemoryPaymentGateways.layer, limits: RateLimit.layer })

/** The same with the sandbox as payment gateway, and without rate limits. */
export const serviceSandbox = (options: PgClient.PgPoolConfig) =>
  serviceWith(options, { payments: Layer.provide(PaymentGateways.layer, FetchHttpClient.layer), limits: unlimited })
