import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Price = Schema.Struct({
  article: Schema.String,
  usd: Schema.NullOr(Schema.BigInt),
  asked_at: Schema.DateTimeUtcFromDate
})
export type AskedPrice = typeof Price.Type

const decode = Schema.decodeUnknownEffect(Schema.Array(Price))

export class AskedPricesRepo extends Context.Service<AskedPricesRepo>()("app/provider/AskedPricesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      all: (provider: string) =>
        sql`SELECT article, usd, asked_at FROM asked_price WHERE provider = ${provider}`.pipe(
          Effect.flatMap(decode),
          Effect.map((rows): ReadonlyMap<string, AskedPrice> => new Map(rows.map((row) => [row.article, row]))),
          Effect.orDie
        ),

      store: (provider: string, { article, asked_at, usd }: AskedPrice) =>
        Effect.orDie(sql`
          INSERT INTO asked_price (provider, article, usd, asked_at)
          VALUES (${provider}, ${article}, ${usd}, ${DateTime.toDate(asked_at)})
          ON CONFLICT (provider, article) DO UPDATE SET usd = excluded.usd, asked_at = excluded.asked_at
        `),

      /** Forgets what nobody has asked for since. */
      forget: (provider: string, since: DateTime.Utc) =>
        Effect.orDie(sql`
          DELETE FROM asked_price WHERE provider = ${provider} AND asked_at < ${DateTime.toDate(since)}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
