import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { randomUUID } from "node:crypto"
import type { PaymentMethod } from "../../src/wallet/PaymentMethod.ts"

/** Does something while the operator pauses a payment method. */
export const whilePaused = <A, E, R>(method: PaymentMethod, act: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [id, placed_at, until_at] = [randomUUID(), new Date(0), new Date(86_400_000)]
    const pause = { id, scope: "method", scope_id: method, placed_at, until_at }
    yield* sql`INSERT INTO sales_pause ${sql.insert({ ...pause, reason: "Card testing", placed_by: "a test" })}`
    const result = yield* act
    yield* sql`UPDATE sales_pause SET lifted_at = ${until_at}, lifted_by = 'a test', lift_reason = 'over' WHERE id = ${id}`
    return result
  })
