import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../../src/accounts/User.ts"
import { AutoRenewalRepo } from "../../../src/orders/changes/AutoRenewalRepo.ts"
import * as ChargeProxyChange from "../../../src/orders/changes/ChargeProxyChange.ts"
import { ProxyChangeId } from "../../../src/orders/changes/ProxyChange.ts"
import { ProxyChanges } from "../../../src/orders/changes/ProxyChanges.ts"
import { OrderId } from "../../../src/orders/Order.ts"
import { OrderPlacement } from "../../../src/orders/checkout/OrderPlacement.ts"
import { Orders } from "../../../src/orders/Orders.ts"
import { ProxyChangesRepo } from "../../../src/orders/changes/ProxyChangesRepo.ts"
import type { Wanted } from "../../../src/orders/changes/ProxyChangeTerms.ts"
import { Atomically } from "../../../src/platform/postgres/Atomically.ts"
import * as Testing from "../../support/OrderTesting.ts"

/** The order domain with everything that proxy changes and renewals need. */
export const layer = Layer.mergeAll(AutoRenewalRepo.layer, ProxyChanges.layer, ProxyChangesRepo.layer).pipe(
  Layer.provideMerge(Testing.layer)
)

/** A proxy that was just handed out: 1.50 (Datacenter), 3.50 (Residential) or 9.00 dollars (Mobile, a week). */
export const proxy = Effect.fnUntraced(function* (
  name: "Datacenter" | "Residential" | "Mobile",
  { balance = 100_000_000n, ...fields }: { readonly balance?: bigint; readonly [field: string]: unknown } = {}
) {
  const caller = yield* Testing.buyer(balance)
  const offer_id = yield* Testing.offerId(name)
  const request = yield* Testing.request({ offer_id, ...(name === "Mobile" && { tarification_index: 1 }), ...fields })
  const { orders } = yield* OrderPlacement.use((placement) => placement.place(caller, request, undefined))
  const id = OrderId.make(orders[0]?.id ?? "")
  return { caller, user: caller.user_id, id, order: yield* orderOf(caller.user_id, id) }
})

export const orderOf = (user: UserId, id: OrderId) => Orders.use((orders) => orders.get(user, id))

/** Charges for a change that no request waits for; answers the id of the change. */
export const charged = Effect.fnUntraced(function* (order_id: OrderId, wanted: Wanted) {
  const id = ProxyChangeId.make(randomUUID())
  const charge = yield* ChargeProxyChange.make
  yield* (yield* Atomically)(charge({ id, order_id, by: { actor: "session", actor_id: null }, wanted, spender: null }))
  return id
})

interface Change {
  readonly kind: string
  readonly origin: string
  readonly status: string
  readonly detail: string | null
}

export const changesOf = (id: OrderId) =>
  SqlClient.SqlClient.use(
    (sql) => sql<Change>`SELECT kind, origin, status, detail FROM proxy_change WHERE order_id = ${id} ORDER BY id`
  )

/** Kinds of the notices to an account, oldest first. */
export const noticesOf = (user: UserId) =>
  Effect.map(
    SqlClient.SqlClient.use(
      (sql) => sql<{ kind: string }>`SELECT kind FROM notification WHERE user_id = ${user} ORDER BY id`
    ),
    (rows) => rows.map(({ kind }) => kind)
  )

/** Payments and refunds of an order in the ledger, in micro-dollars. */
export const bookedFor = (id: OrderId) =>
  Effect.map(
    SqlClient.SqlClient.use(
      (sql) =>
        sql<{ amount: bigint }>`SELECT amount FROM wallet_transaction WHERE order_id = ${id} ORDER BY created_at, seq`
    ),
    (rows) => rows.map(({ amount }) => amount)
  )
