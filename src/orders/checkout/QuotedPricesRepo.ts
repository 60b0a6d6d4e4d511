import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { QuotedPrice } from "./QuotedPrice.ts"

const all = Rows.all(QuotedPrice)
const encode = Schema.encodeEffect(QuotedPrice)

export class QuotedPricesRepo extends Context.Service<QuotedPricesRepo>()("app/orders/QuotedPricesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = Rows.columnsOf(QuotedPrice)
    const excluded = columns.replaceAll(/\w+/g, "excluded.$&")

    return {
      /** Stores a quote in place of the last one of the same option. */
      keep: (quoted: QuotedPrice) =>
        encode(quoted).pipe(
          Effect.flatMap(
            (row) => sql`
              INSERT INTO quoted_price ${sql.insert(row)}
              ON CONFLICT (user_id, offer_id, tarification_index, currency)
              DO UPDATE SET (${sql.literal(columns)}) = (${sql.literal(excluded)})
            `
          ),
          Effect.orDie
        ),

      /** The quotes of an offer to an account that still hold, the latest first. */
      find: (
        { currency, offer_id, user_id }: Pick<QuotedPrice, "currency" | "offer_id" | "user_id">,
        now: DateTime.Utc
      ) =>
        all(sql`
          SELECT * FROM quoted_price
          WHERE user_id = ${user_id} AND offer_id = ${offer_id} AND currency = ${currency}
            AND expires_at > ${DateTime.toDate(now)}
          ORDER BY expires_at DESC
        `),

      /** Removes at most `limit` quotes of orders or of proxy changes that no longer hold; returns their number. */
      removeExpired: (table: "quoted_price" | "quoted_change", now: DateTime.Utc, limit: number) =>
        sql`
          DELETE FROM ${sql(table)} WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM ${sql(table)} WHERE expires_at <= ${DateTime.toDate(now)} LIMIT ${limit}
            FOR UPDATE SKIP LOCKED
          )) RETURNING expires_at
        `.pipe(
          Effect.map((removed) => removed.length),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
