import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"

const AskedPrice = Schema.Struct({
  article: Schema.String,
  /** Micro-dollars. Null: the vendor does not sell the article. */
  usd: Schema.NullOr(Schema.BigInt),
  asked_at: Schema.DateTimeUtcFromDate
})
export type AskedPrice = typeof AskedPrice.Type

const prices = Rows.all(AskedPrice)

export class AskedPricesRepo extends Context.Service<AskedPricesRepo>()("app/provider/AskedPricesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      all: (provider: string) =>
        prices(sql`SELECT article, usd, asked_at FROM asked_price WHERE provider = ${provider}`).pipe(
          Effect.map((rows): ReadonlyMap<string, AskedPrice> => new Map(rows.map((row) => [row.article, row])))
        ),

      store: (provider: string, { article, asked_at, usd }: AskedPrice) =>
        Effect.orDie(sql`
          INSERT INTO asked_price (provider, article, usd, asked_at)
          VALUES (${provider}, ${article}, ${usd}, ${DateTime.toDate(asked_at)})
          ON CONFLICT (provider, article) DO UPDATE SET usd = excluded.usd, asked_at = excluded.asked_at
        `),

      /** Deletes prices that were last asked for before `since`. */
      forget: (provider: string, since: DateTime.Utc) =>
        Effect.orDie(sql`
          DELETE FROM asked_price WHERE provider = ${provider} AND asked_at < ${DateTime.toDate(since)}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
