import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Currency } from "../platform/Money.ts"
import { PaymentIntent } from "../wallet/PaymentIntent.ts"
import type { PaymentMethod } from "../wallet/PaymentMethod.ts"
import { beingReleased, settledAndLive } from "./OrderChecksRepo.ts"

/** Something of a provider that is to run, or not to. */
const Lease = Schema.Struct({ order_id: Schema.String, provider_proxy_id: Schema.String })
export type Lease = typeof Lease.Type

const Asked = Schema.Struct({ name: Schema.String, total: Schema.Int })

const Charge = Schema.Struct({ charge_id: Schema.String, currency: Currency, amount: Schema.BigInt })
const Reversal = Schema.Struct({ reversal_id: Schema.String, status: Schema.String })
const Look = Schema.Struct({ look_at: Schema.NullOr(Schema.DateTimeUtcFromDate) })

const slack = { minutes: 10 }

const rowsOf = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownEffect(Schema.Array(schema))
  return <E, R>(query: Effect.Effect<ReadonlyArray<unknown>, E, R>) => Effect.orDie(Effect.flatMap(query, decode))
}

const leases = (sql: SqlClient.SqlClient) => {
  const read = rowsOf(Lease)
  const live = (now: DateTime.Utc) =>
    settledAndLive(sql, DateTime.toDate(now), DateTime.toDate(DateTime.add(now, slack)))

  return {
    /** The providers of live orders, other than the built-in gateway, with how many they have. */
    providers: (now: DateTime.Utc) =>
      sql`
        SELECT provider AS name, count(*)::int AS total FROM proxy_order o
        WHERE provider <> 'gateway' AND ${live(now)} GROUP BY provider ORDER BY provider
      `.pipe(rowsOf(Asked)),

    /** Live orders of a provider, by id from the one after `after` on. */
    live: (provider: string, after: string, now: DateTime.Utc, limit: number) =>
      sql`
        SELECT id AS order_id, provider_proxy_id FROM proxy_order o
        WHERE provider = ${provider} AND id > ${after} AND ${live(now)} ORDER BY id LIMIT ${limit}
      `.pipe(read),

    /** Whether an order is still live with this proxy. */
    isLive: ({ order_id, provider_proxy_id }: Lease, now: DateTime.Utc) =>
      sql`
        SELECT id AS order_id, provider_proxy_id FROM proxy_order o
        WHERE id = ${order_id} AND provider_proxy_id = ${provider_proxy_id} AND ${live(now)}
      `.pipe(
        read,
        Effect.map((rows) => rows.length > 0)
      ),

    /** What was bought from a vendor and is no order's, unless the service has released it or still may. */
    ownerless: (provider: string, after: string, now: DateTime.Utc, limit: number) => {
      const late = DateTime.toDate(DateTime.subtract(now, slack))
      return sql`
        SELECT p.reference AS order_id, p.vendor_order_id AS provider_proxy_id
        FROM provider_purchase p LEFT JOIN proxy_order o ON o.id = p.reference
        WHERE p.provider = ${provider} AND p.reference > ${after} AND p.delivered_at < ${late}
          AND NOT EXISTS (
            SELECT FROM proxy_order h WHERE h.provider = p.provider AND h.provider_proxy_id = p.vendor_order_id
          )
          AND (o.id IS NULL OR NOT (o.status = 'paid' OR o.updated_at > ${late} OR ${beingReleased(sql, late)}))
          AND NOT EXISTS (
            SELECT FROM provisioning_attempt a
            WHERE a.order_id = p.reference AND a.outcome = 'refused' AND a.detail LIKE 'released %'
          )
        ORDER BY p.reference LIMIT ${limit}
      `.pipe(read)
    }
  }
}

const payments = (sql: SqlClient.SqlClient) => {
  /** A sandbox payment has no gateway outside. */
  const outside = sql`NOT EXISTS (SELECT FROM sandbox_payment s WHERE s.payment_intent_id = i.id)`
  const intents = rowsOf(PaymentIntent)

  return {
    /** The payment methods of payments since then that a gateway outside knows, with how many there are. */
    methods: (since: DateTime.Utc) =>
      sql`
        SELECT payment_method AS name, count(*)::int AS total FROM payment_intent i
        WHERE created_at >= ${DateTime.toDate(since)} AND external_reference IS NOT NULL AND ${outside}
        GROUP BY payment_method ORDER BY payment_method
      `.pipe(rowsOf(Asked)),

    /** Those payments, by id from the one after `after` on. */
    intents: (method: PaymentMethod, since: DateTime.Utc, after: string, limit: number) =>
      sql`
        SELECT * FROM payment_intent i
        WHERE payment_method = ${method} AND id > ${after} AND created_at >= ${DateTime.toDate(since)}
          AND external_reference IS NOT NULL AND ${outside}
        ORDER BY id LIMIT ${limit}
      `.pipe(intents),

    charges: ({ id }: PaymentIntent) =>
      sql`SELECT charge_id, currency, amount FROM payment_charge WHERE payment_intent_id = ${id}`.pipe(rowsOf(Charge)),

    /** The refunds and disputes of a charge, as they are known here. */
    reversals: (method: PaymentMethod, charge_id: string) =>
      sql`
        SELECT reversal_id, status FROM payment_reversal WHERE payment_method = ${method} AND charge_id = ${charge_id}
      `.pipe(rowsOf(Reversal)),

    /** Whether the service asks for this payment again by itself. */
    isLookedAfter: ({ id }: PaymentIntent, now: DateTime.Utc) =>
      sql`SELECT look_at FROM payment_intent WHERE id = ${id}`.pipe(
        rowsOf(Look),
        Effect.map(
          ([row]) =>
            row !== undefined &&
            row.look_at !== null &&
            DateTime.isGreaterThan(row.look_at, DateTime.subtract(now, slack))
        )
      )
  }
}

/** What is asked about outside, in pages. */
export class AskedRepo extends Context.Service<AskedRepo>()("app/reconciliation/AskedRepo", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({ ...leases(sql), ...payments(sql) }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
