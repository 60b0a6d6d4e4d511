import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { layer as services, waiting } from "./OrderPaymentsTesting.ts"

/** The message of PostgreSQL with the name of the constraint. The driver keeps it in a nested cause. */
const messageOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${messageOf(error.cause)}` : JSON.stringify(error)

layer(services)("The tables of payments and orders", (it) => {
  it.effect.each([
    ["a waiting order without a payment", "UPDATE proxy_order SET payment_intent_id = NULL", /proxy_order_paid_from/],
    [
      "an order that waits for the wallet",
      "UPDATE proxy_order SET payment_method = 'wallet'",
      /proxy_order_(paid|waits)/
    ],
    ["a payment of another method", "UPDATE proxy_order SET payment_method = 'crypto_gateway'", /proxy_order_payment/],
    ["stars from a card", "UPDATE proxy_order SET currency = 'STAR'", /proxy_order_payment_currency/],
    ["an order that costs more than its payment", "UPDATE proxy_order SET total = total + 1", /agree/],
    ["an order that costs a cent less than its payment", "UPDATE proxy_order SET total = total - 10000", /agree/],
    [
      "one order of a payment that is cancelled alone",
      "UPDATE proxy_order SET status = 'cancelled', proxy_status = 'cancelled'",
      /agree/
    ],
    ["an order that is paid before its payment", "UPDATE proxy_order SET status = 'paid'", /agree/],
    ["the deletion of a waiting order", "DELETE FROM proxy_order", /agree/]
  ] as const)("refuse %s", ([, change, refusal]) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids } = yield* waiting({ quantity: 2 })
      const error = yield* Effect.flip(sql`${sql.literal(change)} WHERE id = ${ids[0]}`)
      assert.isTrue(SqlError.isSqlError(error))
      assert.match(messageOf(error), refusal)
    })
  )

  it.effect("refuse a payment that ends while its orders still wait", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { intent } = yield* waiting()
      const ending = Effect.gen(function* () {
        yield* sql`UPDATE payment_intent SET status = 'failed' WHERE id = ${intent}`
        yield* sql`
          UPDATE wallet_transaction SET status = 'failed'
          WHERE id = (SELECT transaction_id FROM payment_intent WHERE id = ${intent})
        `
      })
      assert.match(messageOf(yield* Effect.flip(sql.withTransaction(ending))), /agree/)
    })
  )

  it.effect("refuse a pending payment without a time for its look-up", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { intent } = yield* waiting()
      const error = yield* Effect.flip(sql`UPDATE payment_intent SET look_at = NULL WHERE id = ${intent}`)
      assert.match(messageOf(error), /payment_intent_is_looked_after/)
    })
  )
})
