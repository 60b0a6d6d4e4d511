import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import type { Currency } from "../../platform/Money.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { RefundOutcome } from "../gateways/PaymentGateway.ts"
import { PaymentMethod } from "../PaymentMethod.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"
import { GatewayRefund, type GatewayRefundId } from "./GatewayRefund.ts"

/** A charge of a gateway, and the part of it that nothing has taken back. */
const OpenCharge = Schema.Struct({ payment_method: PaymentMethod, charge_id: Schema.String, rest: Schema.BigInt })
export type OpenCharge = typeof OpenCharge.Type

const Unclaimed = Schema.Struct({ amount: Schema.BigInt })

/** The return of a failed refund to the wallet; null and 0 for none. */
interface Return {
  readonly return_id: WalletTransactionId | null
  readonly given_back: bigint
}

type NewRefund = Pick<
  GatewayRefund,
  "id" | "order_refund_id" | "payment_method" | "charge_id" | "user_id" | "currency" | "amount" | "withdrawal_id"
>

const charges = (sql: SqlClient.SqlClient) => {
  const read = Rows.all(OpenCharge)
  return {
    /** Locks an account's charges, so that all that takes them back sees each other. */
    lockCharges: (user_id: UserId, currency: Currency) =>
      Effect.orDie(sql`
        SELECT charge_id FROM payment_charge WHERE user_id = ${user_id} AND currency = ${currency}
        ORDER BY payment_method, charge_id FOR NO KEY UPDATE
      `),

    /**
     * The charges that can be paid back: first those of the order's own payment, then the newest. A disputed charge is with the
     * bank, and a sandbox charge brought no money.
     */
    openCharges: (user_id: UserId, currency: Currency, payment_intent_id: string | null) =>
      read(sql`
        SELECT c.payment_method, c.charge_id, (c.amount - coalesce(b.claimed, 0))::bigint AS rest
        FROM payment_charge c LEFT JOIN LATERAL (
          SELECT claimed FROM payment_taken_back t
          WHERE t.payment_method = c.payment_method AND t.charge_id = c.charge_id
        ) b ON true
        WHERE c.user_id = ${user_id} AND c.currency = ${currency} AND NOT c.is_sandbox
          AND c.amount > coalesce(b.claimed, 0) AND NOT EXISTS (
            SELECT FROM payment_reversal r WHERE (r.payment_method, r.charge_id) = (c.payment_method, c.charge_id)
              AND r.kind = 'dispute' AND r.status <> 'returned'
          )
        ORDER BY (c.payment_intent_id = ${payment_intent_id}::uuid) DESC NULLS LAST, c.created_at DESC, c.charge_id
      `)
  }
}

/** Refunds that leave for a payment gateway. */
export class GatewayRefundsRepo extends Context.Service<GatewayRefundsRepo>()("app/wallet/GatewayRefundsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(GatewayRefund)
    const first = Rows.first(GatewayRefund)
    const unclaimed = Rows.one(Unclaimed)

    return {
      ...charges(sql),

      insert: (refund: NewRefund, now: DateTime.Utc, look_at: DateTime.Utc) =>
        Effect.orDie(sql`
          INSERT INTO gateway_refund ${sql.insert({
            ...refund,
            status: "booked",
            look_at: DateTime.toDate(look_at),
            created_at: DateTime.toDate(now),
            updated_at: DateTime.toDate(now)
          })}
        `),
      find: (id: string) => first(sql`SELECT * FROM gateway_refund WHERE id = ${id}`),
      lock: (id: string) => first(sql`SELECT * FROM gateway_refund WHERE id = ${id} FOR NO KEY UPDATE`),
      /** The part of an open refund that no other refund or dispute of its charge claims. */
      unclaimed: ({ amount, charge_id, payment_method }: GatewayRefund) =>
        Effect.map(
          unclaimed(sql`
            SELECT greatest(0, sum(k.held) - least(c.amount, sum(k.claimed) - ${amount}::bigint))::bigint AS amount
            FROM payment_claim k JOIN payment_charge c USING (payment_method, charge_id)
            WHERE k.payment_method = ${payment_method} AND k.charge_id = ${charge_id} GROUP BY c.amount
          `),
          (one) => one.amount
        ),
      of: (order_refund_id: string) =>
        all(sql`SELECT * FROM gateway_refund WHERE order_refund_id = ${order_refund_id} ORDER BY created_at, id`),

      /** Records that the gateway is being asked; none when another process does, or when the outcome is known. */
      send: (id: GatewayRefundId, from: ReadonlyArray<string>, now: DateTime.Utc, look_at: DateTime.Utc) =>
        first(sql`
          UPDATE gateway_refund SET status = 'sent', sent_at = ${DateTime.toDate(now)},
            look_at = ${DateTime.toDate(look_at)}, updated_at = ${DateTime.toDate(now)}
          WHERE id = ${id} AND status = ANY (${from}::text[]) RETURNING *
        `),
      unanswered: (id: GatewayRefundId, now: DateTime.Utc, look_at: DateTime.Utc) =>
        Effect.orDie(sql`
          UPDATE gateway_refund SET status = 'unknown', look_at = ${DateTime.toDate(look_at)},
            updated_at = ${DateTime.toDate(now)} WHERE id = ${id} AND status = 'sent'
        `),
      settle: (
        id: GatewayRefundId,
        { failure, gateway_refund_id, status }: RefundOutcome,
        { given_back, return_id }: Return,
        now: DateTime.Utc,
        look_at: DateTime.Utc | null
      ) =>
        Effect.orDie(sql`
          UPDATE gateway_refund SET status = ${status}, failure = ${failure}, given_back = ${given_back},
            return_id = ${return_id}, gateway_refund_id = coalesce(gateway_refund_id, ${gateway_refund_id}),
            look_at = ${look_at === null ? null : DateTime.toDate(look_at)}, updated_at = ${DateTime.toDate(now)}
          WHERE id = ${id}
        `),

      /** Claims refunds whose outcome is not known. They are due again at `next`. */
      claimDue: (now: DateTime.Utc, next: DateTime.Utc, limit: number) =>
        all(sql`
          UPDATE gateway_refund SET look_at = ${DateTime.toDate(next)} WHERE id IN (
            SELECT id FROM gateway_refund WHERE look_at <= ${DateTime.toDate(now)}
            ORDER BY look_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) RETURNING *
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
