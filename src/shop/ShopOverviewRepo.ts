import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { Offer, OfferSource } from "../catalog/Offer.ts"
import * as Rows from "../platform/postgres/Rows.ts"
import { type ArticleFilter, ShownArticle } from "./ShownArticle.ts"

const { country_code, external_id, kind, provider } = Offer.fields

const Group = Schema.Struct({
  provider,
  kind,
  country_code,
  days: Schema.Array(Schema.Int),
  offers: Schema.Int
})

const Named = Schema.Struct({ ...Group.fields, external_id })

const Sourced = Schema.Struct({
  ...Struct.pick(Offer.fields, [
    "id",
    "provider",
    "external_id",
    "name",
    "kind",
    "country_code",
    "listed",
    "options",
    "price_per_gb"
  ]),
  source: Schema.NullOr(OfferSource)
})

/** Reads what the pages of the shop show. */
export class ShopOverviewRepo extends Context.Service<ShopOverviewRepo>()("app/shop/ShopOverviewRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const articles = Rows.all(ShownArticle)
    const named = Rows.all(Named)
    const offer = Rows.first(Sourced)
    const days = sql.literal(
      "ARRAY(SELECT DISTINCT (option ->> 'period_days')::int FROM jsonb_array_elements(o.options) option ORDER BY 1)"
    )

    return {
      articles: ({ after, country, kind, limit }: ArticleFilter) =>
        articles(sql`
          SELECT a.id, a.pool, a.kind, a.country_code, a.mode, a.ip_version, a.name, a.open_at_most, a.rate_mbps,
            a.max_connections, a.state, coalesce(o.options, a.options) AS options, o.id AS offer_id,
            coalesce(o.listed, false) AS listed, (
              SELECT count(*)::int FROM proxy_order r
              WHERE r.offer_id = o.id AND r.proxy_status IN ('active', 'expiring')
            ) AS running
          FROM gateway_article a LEFT JOIN offer o ON o.provider = 'gateway' AND o.external_id = a.id
          WHERE (${kind ?? null}::text IS NULL OR a.kind = ${kind ?? null}::text)
            AND (${country ?? null}::text IS NULL OR a.country_code = ${country ?? null}::text)
            AND (${after ?? null}::text IS NULL OR (a.kind, a.country_code, a.position, a.id) > (
              SELECT b.kind, b.country_code, b.position, b.id FROM gateway_article b WHERE b.id = ${after ?? null}::text
            ))
          ORDER BY a.kind, a.country_code, a.position, a.id LIMIT ${limit}
        `),

      /** The offers that are sold or extended, counted by what rules without an article see of them. */
      groups: Rows.all(Group)(sql`
        SELECT provider, kind, country_code, days, count(*)::int AS offers
        FROM (SELECT o.provider, o.kind, o.country_code, ${days} AS days FROM offer o WHERE o.renewable) o
        GROUP BY provider, kind, country_code, days
      `),

      /** The same offers with one of these ids at their vendors. */
      named: (ids: ReadonlyArray<string>) =>
        named(sql`
          SELECT o.provider, o.external_id, o.kind, o.country_code, ${days} AS days, 1 AS offers
          FROM offer o WHERE o.renewable AND o.external_id = ANY (${ids}::text[])
        `),

      offer: (id: Offer["id"]) =>
        offer(sql`
          SELECT id, provider, external_id, name, kind, country_code, listed, options, price_per_gb, source
          FROM offer WHERE id = ${id}
        `)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
