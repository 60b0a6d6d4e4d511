import { Context, DateTime, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { Currency } from "../../platform/Money.ts"
import type { MoneyActor } from "../adjustments/MoneyActor.ts"
import type { WalletTransactionId } from "../WalletTransaction.ts"
import { isOpen, Payout, type PayoutFilter, type PayoutId } from "./Payout.ts"

/** The columns of the table. */
const Stored = Payout.mapFields(Struct.omit(["stop"]))

const Held = Schema.Struct({ held: Schema.BigInt })

type NewPayout = Pick<Payout, "id" | "user_id" | "amount" | "destination" | "withdrawal_id">

/** The end of a request. `by` is null when the customer cancels. */
interface Settlement {
  readonly status: "sent" | "declined" | "cancelled"
  readonly by: Pick<MoneyActor, "id" | "name"> | null
  readonly reference: string | null
  readonly customer_text: string | null
  readonly return_id: WalletTransactionId | null
}

/** Conditions that stop a request. */
const guards = (sql: SqlClient.SqlClient) => {
  const held = Rows.one(Held)
  return {
    /** True when the person made or decided a credit or a refund to the wallet of the account since then. */
    isGivenBy: (user_id: UserId, { id }: MoneyActor, since: DateTime.Utc) =>
      Rows.any(sql`SELECT 1 AS one WHERE payout_given_by(${user_id}, ${id}, ${DateTime.toDate(since)})`),
    /** True when the password or the email of the account changed since then. */
    hasNewCredentials: (user_id: UserId, since: DateTime.Utc) =>
      Rows.any(
        sql`SELECT id FROM user_account WHERE id = ${user_id} AND credentials_changed_at > ${DateTime.toDate(since)}`
      ),
    hasOpen: (user_id: UserId) =>
      Rows.any(sql`SELECT id FROM payout WHERE user_id = ${user_id} AND status IN ('requested', 'approved')`),
    /** Sums the dollars of charges by card since a time, and of charges of which a referrer has a share. */
    held: (user_id: UserId, since: DateTime.Utc) =>
      Effect.map(
        held(sql`
          SELECT coalesce(sum(c.amount), 0)::bigint AS held FROM payment_charge c
          WHERE c.user_id = ${user_id} AND c.currency = 'USD' AND (
            (c.payment_method = 'card_gateway' AND c.created_at > ${DateTime.toDate(since)}) OR EXISTS (
              SELECT FROM referral_share s WHERE (s.payment_method, s.charge_id) = (c.payment_method, c.charge_id)
                AND s.status IN ('held', 'credited')
            )
          )
        `),
        ({ held }) => held
      )
  }
}

/** Requests for money of the wallet. */
export class PayoutsRepo extends Context.Service<PayoutsRepo>()("app/wallet/PayoutsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = Rows.all(Payout)
    const first = Rows.first(Payout)
    const columns = sql.literal(
      `${Rows.columnsOf(Stored)}, CASE WHEN settled_at IS NULL THEN payout_stop_of(user_id) END AS stop`
    )
    const changed = (id: PayoutId, change: Record<string, unknown>) =>
      first(sql`UPDATE payout SET ${sql.update(change)} WHERE id = ${id} RETURNING ${columns}`).pipe(
        Effect.flatMap(Effect.fromOption),
        Effect.orDie
      )

    return {
      find: (id: PayoutId) => first(sql`SELECT ${columns} FROM payout WHERE id = ${id}`),
      lock: (id: PayoutId) => first(sql`SELECT ${columns} FROM payout WHERE id = ${id} FOR NO KEY UPDATE`),
      /** Locks the request that nobody has approved, if the wallet has less than `amount` of real money. */
      lockMissing: (user_id: UserId, currency: Currency, amount: bigint) =>
        first(sql`
          SELECT ${columns} FROM payout
          WHERE user_id = ${user_id} AND currency = ${currency} AND status = 'requested' AND (
            SELECT balance - sandbox_balance FROM wallet WHERE user_id = ${user_id} AND currency = ${currency}
          ) < ${amount}
          FOR NO KEY UPDATE
        `),
      ...guards(sql),
      /** None when another request has the id. */
      insert: (payout: NewPayout, now: DateTime.Utc) =>
        first(sql`
          INSERT INTO payout ${sql.insert({
            ...payout,
            currency: "USD",
            status: "requested",
            created_at: DateTime.toDate(now)
          })} ON CONFLICT (id) DO NOTHING RETURNING ${columns}
        `),
      approve: (id: PayoutId, by: MoneyActor, now: DateTime.Utc) =>
        changed(id, {
          status: "approved",
          approved_by: by.id,
          approved_by_name: by.name,
          approved_at: DateTime.toDate(now)
        }),
      settle: (id: PayoutId, { by, ...settlement }: Settlement, now: DateTime.Utc) =>
        changed(id, {
          ...settlement,
          settled_by: by?.id ?? null,
          settled_by_name: by?.name ?? null,
          settled_at: DateTime.toDate(now)
        }),

      /** Lists requests: open ones oldest first, others newest first. */
      list: ({ after, is_open, status, user_id }: PayoutFilter, limit: number) => {
        const waits = is_open === true || (status !== undefined && isOpen({ status }))
        const [past, order] = waits ? [sql`>`, sql`ASC`] : [sql`<`, sql`DESC`]
        return all(sql`
          SELECT ${columns} FROM payout WHERE ${sql.and([
            sql`true`,
            ...(is_open === true ? [sql`status IN ('requested', 'approved')`] : []),
            ...(user_id === undefined ? [] : [sql`user_id = ${user_id}`]),
            ...(status === undefined ? [] : [sql`status = ${status}`]),
            ...(after === undefined
              ? []
              : [sql`(created_at, id) ${past} (SELECT created_at, id FROM payout WHERE id = ${after})`])
          ])} ORDER BY created_at ${order}, id ${order} LIMIT ${limit}
        `)
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
