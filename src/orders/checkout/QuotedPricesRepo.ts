import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import { QuotedPrice, type QuotedOption } from "./QuotedPrice.ts"

const first = Rows.first(QuotedPrice)
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

      /** The quote of an option, if it still holds and the option has kept its period and its traffic. */
      find: (option: QuotedOption, now: DateTime.Utc) =>
        first(sql`
          SELECT * FROM quoted_price
          WHERE user_id = ${option.user_id} AND offer_id = ${option.offer_id} AND currency = ${option.currency}
            AND tarification_index = ${option.tarification_index} AND period_days = ${option.period_days}
            AND bandwidth_gb IS NOT DISTINCT FROM ${option.bandwidth_gb}::double precision
            AND expires_at > ${DateTime.toDate(now)}
        `),

      /** Removes at most `limit` quotes that no longer hold; returns their number. */
      removeExpired: (now: DateTime.Utc, limit: number) =>
        sql`
          DELETE FROM quoted_price WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM quoted_price WHERE expires_at <= ${DateTime.toDate(now)} LIMIT ${limit}
            FOR UPDATE SKIP LOCKED
          )) RETURNING user_id
        `.pipe(
          Effect.map((removed) => removed.length),
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
