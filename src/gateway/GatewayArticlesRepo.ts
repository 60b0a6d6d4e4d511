import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../platform/postgres/Rows.ts"
import { GatewayProxy } from "./GatewayProxy.ts"

const { ip_version, kind, protocol } = GatewayProxy.fields

/** In micro-dollars and whole stars. Null: not sold in this currency. */
const Price = Schema.Struct({
  USD: Schema.NullOr(Schema.BigIntFromString),
  STAR: Schema.NullOr(Schema.BigIntFromString)
})
/** The cost of the operator in micro-dollars. */
const cost = { cost_usd: Schema.optionalKey(Schema.BigIntFromString) }

/** Something that the gateway sells, in the shape of `ProviderOffer`, and its stock. */
const Article = Schema.Struct({
  external_id: Schema.String,
  kind,
  mode: Schema.String,
  ip_version,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  country_code: Schema.String,
  locations: Schema.Array(Schema.Struct({ region: Schema.String, city: Schema.String })),
  protocols: Schema.Array(protocol),
  price_per_gb: Schema.Struct({ ...Price.fields, ...cost }),
  options: Schema.Array(
    Schema.Struct({
      period_days: Schema.Int,
      period_name: Schema.String,
      period_months: Schema.Int,
      bandwidth_gb: Schema.NullOr(Schema.Finite),
      prices: Price,
      ...cost
    })
  ),
  /** In each direction. Null: unlimited. */
  rate_mbps: Schema.NullOr(Schema.Int),
  /** Null: only the limit of the gateway counts. */
  max_connections: Schema.NullOr(Schema.Int),
  state: Schema.Literals(["on", "renew_only"]),
  /** True: traffic leaves from the machine's own address. */
  uses_machine: Schema.Boolean,
  /** True: the shop is the demo. */
  is_demo: Schema.Boolean,
  /** The number of proxies that its pool and its limit still allow. Null: no limit. */
  left: Schema.NullOr(Schema.Int)
})
export type GatewayArticle = typeof Article.Type

const all = Rows.all(Article)
const stock = Rows.all(Schema.Struct({ article: Schema.String, left: Schema.NullOr(Schema.Int) }))

/** Reads the articles of the shop, and shows that they are sold out. */
export class GatewayArticlesRepo extends Context.Service<GatewayArticlesRepo>()("app/gateway/GatewayArticlesRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** The articles that are sold, and the ones whose running proxies can be extended. */
      all: all(sql`
        SELECT a.id AS external_id, a.kind, a.mode, a.ip_version, a.name, a.description, a.country_code, a.locations,
          a.protocols, a.price_per_gb, a.options, a.rate_mbps, a.max_connections, a.state, p.uses_machine, s."left",
          EXISTS (SELECT FROM shop_state WHERE is_demo) AS is_demo
        FROM gateway_article a JOIN exit_pool p ON p.name = a.pool JOIN gateway_stock s ON s.article = a.id
        WHERE a.state <> 'off' ORDER BY a.position, a.id
      `),
      stock: stock(sql`SELECT article, "left" FROM gateway_stock`),
      /** Shows all articles as sold out, to every instance when the transaction commits. */
      showSoldOut: (now: DateTime.Utc) =>
        // Every change of offers locks the version of the catalog first.
        sql`SELECT FROM catalog_version FOR UPDATE`.pipe(
          Effect.andThen(sql`
            WITH ended AS (
              UPDATE offer SET is_available = false, updated_at = ${DateTime.toDate(now)}
              WHERE provider = 'gateway' AND is_available RETURNING id
            ), raised AS (
              UPDATE catalog_version SET version = version + 1, changed_at = ${DateTime.toDate(now)}
              WHERE EXISTS (SELECT FROM ended) RETURNING version
            )
            SELECT pg_notify('catalog_changed', '') FROM raised
          `),
          Effect.asVoid,
          Effect.orDie
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
