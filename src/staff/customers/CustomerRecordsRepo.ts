import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, type Schema } from "effect"
import type { UserId } from "../../accounts/User.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { Keyset } from "../Keyset.ts"
import { stored } from "./CustomerRecord.ts"

const chargesAtMost = 20

/** Rows that are older than the row `after` of the table. */
const older = (sql: PgClient.PgClient, table: string, { after }: Keyset) =>
  after === undefined
    ? sql`true`
    : sql`(t.created_at, t.id) < (SELECT created_at, id FROM ${sql(table)} WHERE id = ${after})`

/** The records of one customer in the tables of all folders, newest first. Each list has at most `limit` rows. */
export class CustomerRecordsRepo extends Context.Service<CustomerRecordsRepo>()("app/staff/CustomerRecordsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const newest = sql`ORDER BY t.created_at DESC, t.id DESC`

    const owned = <S extends Schema.ConstraintDecoder<unknown> & { readonly fields: object }>(
      table: string,
      row: S
    ) => {
      const read = Rows.all(row)
      const columns = sql.literal(Rows.columnsOf(row))
      return (user: UserId, keyset: Keyset) =>
        read(sql`
          SELECT ${columns} FROM ${sql(table)} t WHERE user_id = ${user} AND ${older(sql, table, keyset)}
          ${newest} LIMIT ${keyset.limit}
        `)
    }

    const [entries, payments, apps] = [Rows.all(stored.entry), Rows.all(stored.payment), Rows.all(stored.app)]

    return {
      exists: (user: UserId) => Rows.any(sql`SELECT id FROM user_account WHERE id = ${user}`),
      orders: owned("proxy_order", stored.order),
      keys: owned("api_key", stored.key),
      sessions: owned("user_session", stored.session),
      notices: owned("notification", stored.notice),
      notes: owned("customer_note", stored.note),
      mails: owned("mail_log", stored.mail),

      /** The entries of all wallets. Each wallet is read by its own index. */
      entries: (user: UserId, keyset: Keyset) =>
        entries(sql`
          SELECT t.* FROM wallet w CROSS JOIN LATERAL (
            SELECT ${sql.literal(Rows.columnsOf(stored.entry))} FROM wallet_transaction t
            WHERE wallet_id = w.id AND ${older(sql, "wallet_transaction", keyset)} ${newest} LIMIT ${keyset.limit}
          ) t WHERE w.user_id = ${user} ${newest} LIMIT ${keyset.limit}
        `),

      payments: (user: UserId, keyset: Keyset) =>
        payments(sql`
          SELECT t.id, t.purpose, t.payment_method, t.status, t.external_reference, t.currency, t.amount, t.created_at,
            t.expires_at, ARRAY(
              SELECT charge_id FROM payment_charge WHERE payment_intent_id = t.id ORDER BY created_at LIMIT ${chargesAtMost}
            ) AS charges
          FROM payment_intent t WHERE t.user_id = ${user} AND ${older(sql, "payment_intent", keyset)}
          ${newest} LIMIT ${keyset.limit}
        `),

      apps: (user: UserId, keyset: Keyset) =>
        apps(sql`
          SELECT t.id, g.client_id, c.name, c.is_verified, g.scopes, t.created_at, t.last_used_at, t.expires_at,
            t.revoked_at, t.revoked_reason
          FROM oauth_grant g JOIN oauth_client c ON c.id = g.client_id JOIN oauth_connection t ON t.grant_id = g.id
          WHERE g.user_id = ${user} AND ${older(sql, "oauth_connection", keyset)}
          ${newest} LIMIT ${keyset.limit}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
