import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import type { PaymentMethod } from "./PaymentMethod.ts"

/** Reads which payment methods the operator has paused (docs/shop.md, "Pauses"). */
export class PausedMethodsRepo extends Context.Service<PausedMethodsRepo>()("app/wallet/PausedMethodsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      isPaused: (method: PaymentMethod) =>
        Rows.any(sql`SELECT FROM sales_pause WHERE scope = 'method' AND scope_id = ${method} AND lifted_at IS NULL`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
