import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { UserId } from "../../src/accounts/User.ts"
import * as OrderRows from "../support/OrderRows.ts"

/** Inserts an order with an active proxy and no events. Returns its id. */
export const live = Effect.fnUntraced(function* (user_id: UserId) {
  const sql = yield* SqlClient.SqlClient
  yield* OrderRows.offer
  const id: string = randomUUID()
  yield* Effect.gen(function* () {
    yield* sql`INSERT INTO proxy_order ${sql.insert(OrderRows.paidOrder(id, user_id, yield* DateTime.now))}`
    yield* sql`UPDATE proxy_order SET ${sql.literal(OrderRows.handedOut)} WHERE id = ${id}`
    yield* sql`DELETE FROM webhook_event WHERE order_id = ${id}`
  }).pipe(sql.withTransaction)
  return id
})

export const setStatus = Effect.fnUntraced(function* (id: string, status: "active" | "expiring") {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE proxy_order SET proxy_status = ${status} WHERE id = ${id}`
})
