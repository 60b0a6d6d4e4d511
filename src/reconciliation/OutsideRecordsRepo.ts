import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Currency } from "../platform/Money.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { PaymentIntent } from "../wallet/PaymentIntent.ts"
import type { PaymentMethod } from "../wallet/PaymentMethod.ts"
import { beingReleased, settledAndLive } from "./OrderChecksRepo.ts"

/** A proxy at a provider, and the order that it was bought for. */
const RentedProxy = Schema.Struct({ order_id: Schema.String, provider_proxy_id: Schema.String })
export type RentedProxy = typeof RentedProxy.Type

const Total = Schema.Struct({ name: Schema.String, total: Schema.Int })

const Charge = Schema.Struct({ charge_id: Schema.String, currency: Currency, amount: Schema.BigInt })
const Reversal = Schema.Struct({ reversal_id: Schema.String, status: Schema.String })
const Look = Schema.Struct({ look_at: Schema.NullOr(Schema.DateTimeUtcFromDate) })

const slack = { minutes: 10 }

const rentedProxies = (sql: SqlClient.SqlClient) => {
  const read = Rows.all(RentedProxy)
  const totals = Rows.all(Total)
  const live = (now: DateTime.Utc) =>
    settledAndLive(sql, DateTime.toDate(now), DateTime.toDate(DateTime.add(now, slack)))

  return {
    /** Counts the live orders of each provider except the built-in gateway. */
    providers: (now: DateTime.Utc) =>
      totals(sql`
        SELECT provider AS name, count(*)::int AS total FROM proxy_order o
        WHERE provider <> 'gateway' AND ${live(now)} GROUP BY provider ORDER BY provider
      `),

    /** Live orders of a provider whose id is greater than `after`, in the order of their ids. */
    live: (provider: string, after: string, now: DateTime.Utc, limit: number) =>
      read(sql`
        SELECT id AS order_id, provider_proxy_id FROM proxy_order o
        WHERE provider = ${provider} AND id > ${after} AND ${live(now)} ORDER BY id LIMIT ${limit}
      `),

    /** True when an order with this proxy is still live. */
    isLive: ({ order_id, provider_proxy_id }: RentedProxy, now: DateTime.Utc) =>
      Rows.any(sql`
        SELECT id FROM proxy_order o
        WHERE id = ${order_id} AND provider_proxy_id = ${provider_proxy_id} AND ${live(now)}
      `),

    /** Bought proxies without an order, except proxies that the service has released or may still release. */
    ownerless: (provider: string, after: string, now: DateTime.Utc, limit: number) => {
      const late = DateTime.toDate(DateTime.subtract(now, slack))
      return read(sql`
        SELECT p.reference AS order_id, p.vendor_order_id AS provider_proxy_id
        FROM provider_purchase p LEFT JOIN proxy_order o ON o.id = p.reference
        WHERE p.provider = ${provider} AND p.reference > ${after} AND p.delivered_at < ${late}
          AND NOT EXISTS (
            SELECT FROM proxy_order h WHERE h.provider = p.provider AND h.provider_proxy_id = p.vendor_order_id
          )
          AND (o.id IS NULL OR NOT (o.status = 'paid' OR o.updated_at > ${late} OR ${beingReleased(sql, late)}))
          AND NOT EXISTS (
            SELECT FROM provisioning_attempt a
            WHERE a.order_id = p.reference AND a.outcome = 'refused' AND a.detail LIKE '% was released'
          )
        ORDER BY p.reference LIMIT ${limit}
      `)
    }
  }
}

const payments = (sql: SqlClient.SqlClient) => {
  /** A sandbox payment has no outside gateway. */
  const outside = sql`NOT EXISTS (SELECT FROM sandbox_payment s WHERE s.payment_intent_id = i.id)`
  const totals = Rows.all(Total)
  const intents = Rows.all(PaymentIntent)
  const charges = Rows.all(Charge)
  const reversals = Rows.all(Reversal)
  const look = Rows.first(Look)

  return {
    /** Counts the payments since then that an outside gateway knows, by payment method. */
    methods: (since: DateTime.Utc) =>
      totals(sql`
        SELECT payment_method AS name, count(*)::int AS total FROM payment_intent i
        WHERE created_at >= ${DateTime.toDate(since)} AND external_reference IS NOT NULL AND ${outside}
        GROUP BY payment_method ORDER BY payment_method
      `),

    /** The payments that `methods` counts and whose id is greater than `after`, in the order of their ids. */
    intents: (method: PaymentMethod, since: DateTime.Utc, after: string, limit: number) =>
      intents(sql`
        SELECT * FROM payment_intent i
        WHERE payment_method = ${method} AND id > ${after} AND created_at >= ${DateTime.toDate(since)}
          AND external_reference IS NOT NULL AND ${outside}
        ORDER BY id LIMIT ${limit}
      `),

    charges: ({ id }: PaymentIntent) =>
      charges(sql`SELECT charge_id, currency, amount FROM payment_charge WHERE payment_intent_id = ${id}`),

    /** True while a refund that the service asked for has no known outcome. */
    isAsking: (id: string) =>
      Rows.any(sql`SELECT id FROM gateway_refund WHERE id = ${id} AND status IN ('booked', 'sent', 'unknown')`),

    /** The refunds and disputes of a charge that the service has on record. */
    reversals: (method: PaymentMethod, charge_id: string) =>
      reversals(sql`
        SELECT reversal_id, status FROM payment_reversal WHERE payment_method = ${method} AND charge_id = ${charge_id}
        UNION ALL
        SELECT gateway_refund_id, CASE status WHEN 'failed' THEN 'returned' ELSE 'taken' END FROM gateway_refund
        WHERE payment_method = ${method} AND charge_id = ${charge_id} AND gateway_refund_id IS NOT NULL
      `),

    /** True when a job asks the gateway about this payment again. */
    isLookedAfter: ({ id }: PaymentIntent, now: DateTime.Utc) =>
      look(sql`SELECT look_at FROM payment_intent WHERE id = ${id}`).pipe(
        Effect.map(
          Option.exists(
            ({ look_at }) => look_at !== null && DateTime.isGreaterThan(look_at, DateTime.subtract(now, slack))
          )
        )
      )
  }
}

/** Records to compare with those of providers and gateways, in pages. */
export class OutsideRecordsRepo extends Context.Service<OutsideRecordsRepo>()("app/reconciliation/OutsideRecordsRepo", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({ ...rentedProxies(sql), ...payments(sql) }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
