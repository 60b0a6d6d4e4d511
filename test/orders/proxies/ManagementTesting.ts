import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../../src/accounts/User.ts"
import { RequestValidation } from "../../../src/http/RequestValidation.ts"
import { MobileProxiesApi } from "../../../src/orders/proxies/MobileProxiesApi.ts"
import * as MobileProxiesHttp from "../../../src/orders/proxies/MobileProxiesHttp.ts"
import { ProxyManagementApi } from "../../../src/orders/proxies/ProxyManagementApi.ts"
import * as ProxyManagementHttp from "../../../src/orders/proxies/ProxyManagementHttp.ts"
import { ProxyDestinations } from "../../../src/orders/proxies/ProxyDestinations.ts"
import { ProxyRefusals } from "../../../src/orders/proxies/ProxyRefusals.ts"
import { ProxyTests } from "../../../src/orders/proxies/ProxyTests.ts"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import { RateLimit } from "../../../src/platform/requests/RateLimit.ts"
import { Addresses } from "../../../src/platform/settings/Addresses.ts"
import { Wallets } from "../../../src/wallet/Wallets.ts"
import { type Behaviour, MemoryProvider } from "../../support/MemoryProvider.ts"
import * as OrderRoutes from "../../support/OrderRoutes.ts"
import * as Testing from "../../support/OrderTesting.ts"
import * as TestServer from "../../support/TestServer.ts"

const api = OrderRoutes.groups.add(ProxyManagementApi).add(MobileProxiesApi).middleware(RequestValidation).prefix("/v1")

const handlers = Layer.mergeAll(OrderRoutes.handlers, ProxyManagementHttp.layer, MobileProxiesHttp.layer)

/** Orders and the free operations on their proxies, on a loopback port. */
export const server = TestServer.layerOf(api, handlers).pipe(
  Layer.provideMerge([ProxyDestinations.layer, ProxyRefusals.layer, ProxyTests.layer]),
  Layer.provideMerge([Testing.layer, RateLimit.layer, Addresses.layer])
)

export type Kind = "static" | "mobile"

/** An order of the user, with a given behaviour of the provider. */
export const ordered = Effect.fnUntraced(function* (user: string, kind: Kind, behaviour: Behaviour = "succeed") {
  const memory = yield* MemoryProvider
  memory.next(behaviour)
  const body =
    kind === "static"
      ? { offer_id: yield* Testing.offerId("Datacenter"), payment_method: "wallet" }
      : { offer_id: yield* Testing.offerId("Mobile"), payment_method: "wallet", tarification_index: 1 }
  const { body: orders } = yield* TestServer.request("POST", "/v1/orders", { user, body })
  return orders[0].id as string
})

export const customer = Effect.map(Testing.buyer(100_000_000n), ({ user_id }) => user_id)

/** A customer's mobile proxy. */
export const mobileProxy = Effect.gen(function* () {
  const user = yield* customer
  const id = yield* ordered(user, "mobile")
  const call = TestServer.request
  const post = (operation: string, body?: unknown) => call("POST", `/v1/orders/${id}/${operation}`, { user, body })
  const fetched = call("GET", `/v1/orders/${id}`, { user })
  const memory = yield* MemoryProvider
  const lease = Effect.sync(() => memory.leases.get(id))
  return { user, id, post, fetched, memory, lease }
})

/** Ends a proxy as if its time were over. */
export const expire = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE proxy_order SET proxy_status = 'expiring' WHERE id = ${id} AND proxy_status = 'active'`
  yield* sql`UPDATE proxy_order SET proxy_status = 'expired', status = 'expired' WHERE id = ${id}`
})

/** Runs a request while the memory provider cannot do something. */
export const without = <A, E, R>(ability: string, request: Effect.Effect<A, E, R>) =>
  Effect.flatMap(MemoryProvider, ({ provider }) => {
    const method: unknown = Reflect.get(provider, ability)
    return Effect.acquireUseRelease(
      Effect.sync(() => Reflect.deleteProperty(provider, ability)),
      () => request,
      () => Effect.sync(() => Reflect.set(provider, ability, method))
    )
  })

/** A pending proxy change with an unknown outcome; answers its id. */
export const pendingChange = Effect.fnUntraced(function* (order_id: string) {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* Atomically
  const wallets = yield* Wallets
  const id = randomUUID()
  const reference = `change:${id}`
  const [order] = yield* sql<{ user_id: UserId }>`SELECT user_id FROM proxy_order WHERE id = ${order_id}`
  const user_id = order?.user_id ?? (yield* Effect.die(new Error(`no order ${order_id}`)))
  const entries = [{ order_id, reference, amount: 1n, amount_usd: 1n, description: "A change" }]
  yield* atomically(
    Effect.andThen(
      wallets.charge({ user_id, currency: "USD", spender: null, entries }),
      sql`
        INSERT INTO proxy_change (id, order_id, kind, origin, currency, total, total_usd, period_days, period_months,
          previous_expires_at, expires_at, status, settle_at, created_at, updated_at)
        SELECT ${id}, id, 'append', 'request', 'USD', 1, 1, 30, 1, expires_at, expires_at + interval '1 month',
          'pending', expires_at, created_at, created_at
        FROM proxy_order WHERE id = ${order_id}
      `
    )
  )
  return id
})

/** The provider refuses a pending proxy change. */
export const refuseChange = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* Atomically
  const wallets = yield* Wallets
  const reference = `change:${id}`
  const refund = { payment_reference: reference, reference, description: "Refund" }
  const [change] = yield* sql<{ order_id: string }>`SELECT order_id FROM proxy_change WHERE id = ${id}`
  yield* atomically(
    Effect.andThen(
      sql`UPDATE proxy_change SET status = 'refused', refusal = 'provider_refused', detail = 'no' WHERE id = ${id}`,
      wallets.refund({ order_id: change?.order_id ?? null, ...refund })
    )
  )
})
