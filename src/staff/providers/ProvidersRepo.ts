import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SalesPause } from "../../catalog/SalesPause.ts"
import * as Rows from "../../platform/postgres/Rows.ts"
import { StockedOffer } from "./StockedOffer.ts"

const providers = Rows.all(
  Schema.Struct({
    name: Schema.String,
    listed: Schema.Int,
    in_stock: Schema.Int,
    paused: Schema.Int,
    /** In micro-dollars. */
    balance_usd: Schema.NullOr(Schema.BigInt),
    low_since: Schema.NullOr(Schema.DateTimeUtcFromDate),
    read_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
  })
)
const offers = Rows.all(StockedOffer)
const count = Rows.one(Schema.Struct({ count: Schema.Int }))

/** Reads what the service knows about its providers. */
export class ProvidersRepo extends Context.Service<ProvidersRepo>()("app/staff/ProvidersRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** The providers that sell, or that are asked. */
      all: providers(sql`
        SELECT n.provider AS name, c.listed, c.in_stock, c.paused, b.balance_usd, b.low_since, b.read_at
        FROM (
          SELECT provider FROM offer WHERE renewable
          UNION SELECT provider FROM vendor_balance
          UNION SELECT provider FROM provider_calls
        ) n
          CROSS JOIN LATERAL (
            SELECT count(*)::int AS listed, (count(*) FILTER (WHERE is_available))::int AS in_stock,
              (count(*) FILTER (WHERE paused))::int AS paused
            FROM offer o WHERE o.provider = n.provider AND o.listed
          ) c
          LEFT JOIN vendor_balance b ON b.provider = n.provider
        ORDER BY name LIMIT 100
      `),

      /** The offers of a provider after the offer `after`. */
      offers: (provider: string, limit: number, after: number) =>
        offers(sql`
          SELECT o.id, o.external_id, o.name, o.kind, o.country_code, o.ip_version, o.listed, o.is_available, o.paused, s."left"
          FROM offer o LEFT JOIN gateway_stock s ON o.provider = 'gateway' AND s.article = o.external_id
          WHERE o.provider = ${provider} AND o.renewable AND o.id > ${after} ORDER BY o.id LIMIT ${limit}
        `),

      /** The number of offers on sale that a pause covers. */
      covered: ({ scope, scope_id }: Pick<SalesPause, "scope" | "scope_id">) =>
        Effect.map(
          count(sql`
            SELECT count(*)::int AS count FROM offer WHERE listed AND CASE ${scope}::text
              WHEN 'all' THEN true
              WHEN 'provider' THEN provider = ${scope_id}::text
              WHEN 'kind' THEN kind = ${scope_id}::text
              WHEN 'article' THEN provider = 'gateway' AND external_id = ${scope_id}::text
              WHEN 'offer' THEN id::text = ${scope_id}::text
              ELSE false
            END
          `),
          ({ count }) => count
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
