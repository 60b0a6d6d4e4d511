import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"

const Price = Schema.Struct({
  article: Schema.String,
  usd: Schema.NullOr(Schema.BigInt),
  asked_at: Schema.DateTimeUtcFromDate
})
export type VendorPrice = typeof Price.Type

const decode = Schema.decodeUnknownEffect(Schema.Array(Price))

export class VendorPricesRepo extends Context.Service<VendorPricesRepo>()("app/provider/VendorPricesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    return {
      all: (provider: string) =>
        sql`SELECT article, usd, asked_at FROM provider_price WHERE provider = ${provider}`.pipe(
          Effect.flatMap(decode),
          Effect.map((rows): ReadonlyMap<string, VendorPrice> => new Map(rows.map((row) => [row.article, row]))),
          Effect.orDie
        ),

      store: (provider: string, { article, asked_at, usd }: VendorPrice) =>
        Effect.orDie(sql`
          INSERT INTO provider_price (provider, article, usd, asked_at)
          VALUES (${provider}, ${article}, ${usd}, ${DateTime.toDate(asked_at)})
          ON CONFLICT (provider, article) DO UPDATE SET usd = excluded.usd, asked_at = excluded.asked_at
        `),

      /** Forgets what nobody has asked for since. */
      forget: (provider: string, since: DateTime.Utc) =>
        Effect.orDie(sql`
          DELETE FROM provider_price WHERE provider = ${provider} AND asked_at < ${DateTime.toDate(since)}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
