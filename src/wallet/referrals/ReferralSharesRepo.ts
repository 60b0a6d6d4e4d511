import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import { ReferralShare, type ShareRefusal } from "./ReferralShare.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"

type Charge = Pick<ReferralShare, "payment_method" | "charge_id">
type Key = Pick<ReferralShare, "payment_method" | "charge_id" | "round">
type NewShare = Omit<ReferralShare, "status" | "transaction_id" | "returned" | "created_at"> & {
  /** Null means that the share is held. */
  readonly refusal: ShareRefusal | null
}

interface Change {
  readonly status: ReferralShare["status"]
  readonly reason?: ShareRefusal
  readonly transaction_id?: WalletTransactionId
  readonly returned?: bigint
  readonly return_id?: WalletTransactionId | null
}

const Answer = Schema.Struct({ yes: Schema.Boolean })

/** Shares of referred payments. */
export class ReferralSharesRepo extends Context.Service<ReferralSharesRepo>()("app/wallet/ReferralSharesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(ReferralShare)
    const first = Rows.first(ReferralShare)
    const answer = Rows.first(Answer)
    const of = ({ charge_id, payment_method }: Charge) =>
      sql`payment_method = ${payment_method} AND charge_id = ${charge_id}`

    const insert = Effect.fnUntraced(function* ({ due_at, refusal, ...share }: NewShare) {
      const now = DateTime.toDate(yield* DateTime.now)
      const outcome = { status: refusal === null ? "held" : "refused", reason: refusal }
      const row = { ...share, ...outcome, due_at: DateTime.toDate(due_at), created_at: now, updated_at: now }
      yield* sql`INSERT INTO referral_share ${sql.insert(row)}`
    }, Effect.orDie)

    const change = Effect.fnUntraced(function* (share: Key, change: Change) {
      const updated_at = DateTime.toDate(yield* DateTime.now)
      yield* sql`UPDATE referral_share SET ${sql.update({ ...change, updated_at })} WHERE ${of(share)} AND round = ${share.round}`
    }, Effect.orDie)

    return {
      insert,
      change,
      /** Claims the shares that are due. Shares that stay held are due again at `next`. */
      claimDue: (now: DateTime.Utc, next: DateTime.Utc, limit: number) =>
        all(sql`
          UPDATE referral_share s SET due_at = ${DateTime.toDate(next)}
          FROM (
            SELECT payment_method, charge_id, round FROM referral_share
            WHERE status = 'held' AND due_at <= ${DateTime.toDate(now)}
            ORDER BY due_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
          ) due
          WHERE (s.payment_method, s.charge_id, s.round) = (due.payment_method, due.charge_id, due.round) RETURNING s.*
        `),
      /** Locks the last round of the share of a charge. */
      lock: (charge: Charge) =>
        first(sql`SELECT * FROM referral_share WHERE ${of(charge)} ORDER BY round DESC LIMIT 1 FOR UPDATE`),
      /** True when a reversal has taken money of the charge, or when a refund of it stands. */
      isTakenBack: ({ charge_id, payment_method }: Charge) =>
        answer(sql`SELECT payment_taken_back_by(${payment_method}, ${charge_id}) IS NOT NULL AS yes`).pipe(
          Effect.map(Option.exists(({ yes }) => yes))
        ),
      /** True when one payer has paid for both accounts. */
      sharePayer: (one: UserId, other: UserId) =>
        answer(sql`
          SELECT EXISTS (
            SELECT FROM payment_charge a JOIN payment_charge b ON b.payer = a.payer
            WHERE a.user_id = ${one} AND b.user_id = ${other}
          ) AS yes
        `).pipe(Effect.map(Option.exists(({ yes }) => yes)))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
