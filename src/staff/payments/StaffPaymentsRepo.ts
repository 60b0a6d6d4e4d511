import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { PaymentIntent, PaymentIntentId } from "../../wallet/PaymentIntent.ts"
import { PaymentMethod } from "../../wallet/PaymentMethod.ts"
import type { CustomerQuery } from "../customers/CustomerQuery.ts"
import type { Keyset } from "../Keyset.ts"
import { type CallbackBody, StaffPayment, StoredBody, stored } from "./StaffPayment.ts"

type Sql = PgClient.PgClient

const atMost = 50

export interface PaymentFilter {
  readonly query?: CustomerQuery | undefined
  readonly status?: PaymentIntent["status"] | undefined
  readonly payment_method?: PaymentMethod | undefined
  readonly user_id?: UserId | undefined
}

/** Selects the ids of the payments that a query names. Each part reads an index. */
const named = (sql: Sql, query: CustomerQuery) => {
  switch (query._tag) {
    case "Email":
      return sql`SELECT i.id FROM user_account a JOIN payment_intent i ON i.user_id = a.id WHERE a.email = ${query.email}`
    case "Id":
      return sql`
        SELECT id FROM payment_intent WHERE id = ${query.id}
        UNION SELECT id FROM payment_intent WHERE user_id = ${query.id}
        UNION SELECT id FROM payment_intent WHERE transaction_id = ${query.id}
        UNION SELECT payment_intent_id FROM proxy_order WHERE id = ${query.id} AND payment_intent_id IS NOT NULL
      `
    case "Charge":
      return sql`
        SELECT payment_intent_id FROM payment_charge
        WHERE payment_method = ANY (${PaymentMethod.literals}) AND charge_id = ${query.charge_id}
        UNION SELECT id FROM payment_intent
        WHERE payment_method = ANY (${PaymentMethod.literals}) AND external_reference = ${query.charge_id}
      `
    case "Address":
      return sql`SELECT NULL::uuid`
  }
}

const records = (sql: Sql) => {
  const [charges, callbacks] = [Rows.all(stored.charge), Rows.all(stored.callback)]
  const [refunds, reversals, orders] = [Rows.all(stored.refund), Rows.all(stored.reversal), Rows.all(stored.order)]
  return {
    charges: (id: PaymentIntentId) =>
      charges(sql`
        SELECT charge_id, currency, amount, transaction_id, created_at FROM payment_charge
        WHERE payment_intent_id = ${id} ORDER BY created_at DESC, charge_id LIMIT ${atMost}
      `),
    callbacks: (id: PaymentIntentId) =>
      callbacks(sql`
        SELECT id, outcome, received_at FROM payment_callback
        WHERE payment_intent_id = ${id} ORDER BY received_at DESC, id DESC LIMIT ${atMost}
      `),
    refunds: (id: PaymentIntentId) =>
      refunds(sql`
        SELECT g.id, g.charge_id, f.order_id, g.status, g.failure, g.currency, g.amount, g.created_at
        FROM payment_charge c JOIN gateway_refund g ON g.payment_method = c.payment_method AND g.charge_id = c.charge_id
          LEFT JOIN order_refund f ON f.id = g.order_refund_id
        WHERE c.payment_intent_id = ${id} ORDER BY g.created_at DESC, g.id LIMIT ${atMost}
      `),
    reversals: (id: PaymentIntentId) =>
      reversals(sql`
        SELECT r.reversal_id, r.charge_id, r.kind, r.status, r.currency, r.amount, r.created_at
        FROM payment_charge c JOIN payment_reversal r ON r.payment_method = c.payment_method AND r.charge_id = c.charge_id
        WHERE c.payment_intent_id = ${id} ORDER BY r.created_at DESC, r.reversal_id LIMIT ${atMost}
      `),
    orders: (id: PaymentIntentId) =>
      orders(sql`
        SELECT id, status, currency, total FROM proxy_order WHERE payment_intent_id = ${id} ORDER BY id LIMIT 100
      `)
  }
}

/** Payments from outside, with their customers. */
export class StaffPaymentsRepo extends Context.Service<StaffPaymentsRepo>()("app/staff/StaffPaymentsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [one, many, body] = [Rows.first(StaffPayment), Rows.all(StaffPayment), Rows.first(StoredBody)]
    const payments = sql`SELECT i.*, a.email FROM payment_intent i JOIN user_account a ON a.id = i.user_id`

    return {
      ...records(sql),
      find: (id: PaymentIntentId) => one(sql`${payments} WHERE i.id = ${id}`),

      /** The newest first. */
      list: ({ payment_method, query, status, user_id }: PaymentFilter, { after, limit }: Keyset) =>
        many(sql`
          ${payments} WHERE ${sql.and([
            sql`true`,
            ...(query === undefined ? [] : [sql`i.id IN (${named(sql, query)})`]),
            ...(status === undefined ? [] : [sql`i.status = ${status}`]),
            ...(payment_method === undefined ? [] : [sql`i.payment_method = ${payment_method}`]),
            ...(user_id === undefined ? [] : [sql`i.user_id = ${user_id}`]),
            ...(after === undefined ? [] : [sql`i.id < ${after}::uuid`])
          ])}
          ORDER BY i.id DESC LIMIT ${limit}
        `),

      /** A callback with its body as text. */
      body: (id: string) =>
        body(sql`
          SELECT id, payment_method, outcome, received_at, payment_intent_id, body FROM payment_callback WHERE id = ${id}
        `).pipe(
          Effect.map(Option.map((found): CallbackBody => ({ ...found, body: new TextDecoder().decode(found.body) })))
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
