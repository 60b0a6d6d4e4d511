import { Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { RequestValidation } from "../../src/http/RequestValidation.ts"
import { MobileProxiesApi } from "../../src/orders/MobileProxiesApi.ts"
import * as MobileProxiesHttp from "../../src/orders/MobileProxiesHttp.ts"
import { OrdersApi } from "../../src/orders/OrdersApi.ts"
import * as OrdersHttp from "../../src/orders/OrdersHttp.ts"
import { ProxyManagementApi } from "../../src/orders/ProxyManagementApi.ts"
import * as ProxyManagementHttp from "../../src/orders/ProxyManagementHttp.ts"
import { type Behaviour, MemoryProvider } from "../support/MemoryProvider.ts"
import * as Testing from "../support/OrderTesting.ts"
import * as TestServer from "../support/TestServer.ts"

const api = HttpApi.make("proxy-rental")
  .add(OrdersApi)
  .add(ProxyManagementApi)
  .add(MobileProxiesApi)
  .middleware(RequestValidation)
  .prefix("/v1")

const handlers = Layer.mergeAll(OrdersHttp.layer, ProxyManagementHttp.layer, MobileProxiesHttp.layer)

/** Orders and the free operations on their proxies, on a loopback port. */
export const server = TestServer.layerOf(api, handlers).pipe(Layer.provideMerge(Testing.layer))

export type Kind = "static" | "mobile"

/** An order of the user's, its provider told how to behave. */
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

/** Ends a proxy as its time would. */
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

/** A billed change whose outcome nobody knows yet. */
export const pendingChange = Effect.fnUntraced(function* (order_id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO proxy_change (id, order_id, kind, origin, currency, total, total_usd, period_days, period_months,
      previous_expires_at, expires_at, status, settle_at, created_at, updated_at)
    SELECT gen_random_uuid(), id, 'append', 'request', 'USD', 1, 1, 30, 1, expires_at, expires_at + interval '1 month',
      'pending', expires_at, created_at, created_at
    FROM proxy_order WHERE id = ${order_id}
  `
})
