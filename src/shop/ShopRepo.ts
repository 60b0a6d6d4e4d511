import { PgClient } from "@effect/sql-pg"
import { Context, DateTime, Effect, Layer, Schema, Struct } from "effect"
import { Offer, OfferOption, OfferSource, OfferTerms } from "../catalog/Offer.ts"
import * as Rows from "../platform/postgres/Rows.ts"

const { ip_version, kind, locations, price_per_gb, protocols } = OfferTerms.fields

const PoolRow = Schema.Struct({
  name: Schema.String,
  kind,
  country_code: Schema.String,
  uses_machine: Schema.Boolean
})

const AddressRow = Schema.Struct({ ip: Schema.String, pool: Schema.String })

export const ArticleRow = Schema.Struct({
  id: Schema.String,
  position: Schema.Int,
  pool: Schema.String,
  kind,
  country_code: Schema.String,
  mode: Schema.Literals(["static", "rotating"]),
  ip_version,
  name: Schema.String,
  description: Schema.NullOr(Schema.String),
  locations,
  protocols,
  options: Schema.Array(OfferOption),
  price_per_gb,
  open_at_most: Schema.NullOr(Schema.Int),
  rate_mbps: Schema.NullOr(Schema.Int),
  max_connections: Schema.NullOr(Schema.Int),
  state: Schema.Literals(["on", "renew_only", "off"])
})
export type ArticleRow = typeof ArticleRow.Type

const RuleRow = Schema.Struct({
  vendor: Schema.NullOr(Schema.String),
  kind: Schema.NullOr(kind),
  country: Schema.NullOr(Schema.String),
  article: Schema.NullOr(Schema.String),
  days: Schema.NullOr(Schema.Int),
  markup: Schema.NullOr(Schema.Int),
  price: Schema.NullOr(Schema.BigIntFromString),
  floor: Schema.NullOr(Schema.BigIntFromString),
  round: Schema.NullOr(Schema.BigIntFromString),
  star_rate: Schema.NullOr(Schema.BigIntFromString),
  hidden: Schema.NullOr(Schema.Boolean),
  name: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String)
})

/** The rows that a shop file describes. */
export interface ShopRows {
  readonly pools: ReadonlyArray<typeof PoolRow.Type>
  readonly addresses: ReadonlyArray<typeof AddressRow.Type>
  readonly articles: ReadonlyArray<ArticleRow>
  readonly rules: ReadonlyArray<typeof RuleRow.Type>
  /** In hundredths of a percent. */
  readonly announce_above: number
  readonly is_demo: boolean
}

/** The terms on which the service sells, as its last start recorded them. */
const Terms = Schema.Struct({ sells_gateway: Schema.Boolean, takes_real_money: Schema.Boolean })

const State = Schema.Struct({ is_demo: Schema.Boolean, announce_above: Schema.Int })

const OfferRow = Schema.Struct({
  ...Struct.pick(Offer.fields, [
    "id",
    "provider",
    "external_id",
    "name",
    "kind",
    "country_code",
    "ip_version",
    "description",
    "locations",
    "protocols",
    "is_available",
    "listed",
    "renewable",
    "options",
    "price_per_gb"
  ]),
  /** Null: not synced since the database has sources. */
  source: Schema.NullOr(OfferSource),
  running: Schema.Int
})
export type OfferRow = typeof OfferRow.Type

const HeldAddress = Schema.Struct({
  ...AddressRow.fields,
  proxies: Schema.Int,
  /** The proxies among them that have the address from its pool. A proxy from before the shop has it from no pool. */
  bound: Schema.Int
})

const Ordered = Schema.Struct({ external_id: Schema.String })

const reading = (sql: PgClient.PgClient) => ({
  state: Rows.first(State)(sql`SELECT is_demo, announce_above FROM shop_state`),
  terms: Rows.first(Terms)(sql`SELECT sells_gateway, takes_real_money FROM service_terms`),
  pools: Rows.all(PoolRow)(sql`SELECT name, kind, country_code, uses_machine FROM exit_pool ORDER BY name`),
  addresses: Rows.all(AddressRow)(sql`
    SELECT host(ip) AS ip, pool FROM exit_address WHERE state = 'on' ORDER BY pool, exit_address.ip
  `),
  /** The addresses that open proxies have, and the number of these proxies. */
  held: Rows.all(HeldAddress)(sql`
    SELECT host(a.ip) AS ip, a.pool, count(*)::int AS proxies, count(*) FILTER (WHERE p.pool = a.pool)::int AS bound
    FROM exit_address a JOIN gateway_proxy p ON p.exit_ip = a.ip AND p.status = 'open' GROUP BY a.ip
  `),
  articles: Rows.all(ArticleRow)(sql`SELECT * FROM gateway_article ORDER BY position, id`),
  rules: Rows.all(RuleRow)(sql`
    SELECT vendor, kind, country, article, days, markup, price::text, floor::text, round::text, star_rate::text, hidden, name,
      description
    FROM price_rule ORDER BY vendor NULLS FIRST, kind NULLS FIRST, country NULLS FIRST, article NULLS FIRST, days NULLS FIRST
  `),
  /** The offers of all providers, with the number of their running orders. */
  offers: Rows.all(OfferRow)(sql`
    SELECT id, provider, external_id, name, kind, country_code, ip_version, description, locations, protocols,
      is_available, listed, renewable, options, price_per_gb, source, (
        SELECT count(*)::int FROM proxy_order r WHERE r.offer_id = o.id AND r.proxy_status IN ('active', 'expiring')
      ) AS running
    FROM offer o ORDER BY id
  `),
  /**
   * The articles that customers have ordered, also with orders that are over. Each looks for one order of its offer: the
   * order of the index keeps PostgreSQL from a search through all orders, which is long for an article without one.
   */
  ordered: Rows.all(Ordered)(sql`
    SELECT a.id AS external_id FROM gateway_article a
    LEFT JOIN offer o ON o.provider = 'gateway' AND o.external_id = a.id
    WHERE a.id IN (SELECT p.article FROM gateway_proxy p WHERE p.status = 'open')
      OR (SELECT r.offer_id FROM proxy_order r WHERE r.offer_id = o.id ORDER BY r.proxy_status LIMIT 1) IS NOT NULL
  `).pipe(Effect.map((rows): ReadonlySet<string> => new Set(rows.map(({ external_id }) => external_id)))),
  /** True when the catalog has had offers of the gateway, also those of a version before the shop. */
  hadOffers: Rows.any(sql`SELECT FROM offer WHERE provider = 'gateway' LIMIT 1`)
})

const encode = {
  pools: Schema.encodeEffect(Schema.Array(PoolRow)),
  addresses: Schema.encodeEffect(Schema.Array(AddressRow)),
  articles: Schema.encodeEffect(Schema.Array(ArticleRow)),
  rules: Schema.encodeEffect(Schema.Array(RuleRow))
}

/** A table of the rows in a JSON list. */
const listed = (sql: PgClient.PgClient, table: string, rows: ReadonlyArray<unknown>) =>
  sql`jsonb_populate_recordset(NULL::${sql(table)}, ${sql.json(rows)}::jsonb)`

const writing = (sql: PgClient.PgClient) => {
  const writePools = Effect.fnUntraced(function* (pools: ShopRows["pools"]) {
    const rows = listed(sql, "exit_pool", yield* encode.pools(pools))
    yield* sql`
      INSERT INTO exit_pool SELECT * FROM ${rows}
      ON CONFLICT (name) DO UPDATE SET (kind, country_code, uses_machine)
        = (excluded.kind, excluded.country_code, excluded.uses_machine)
    `
  })

  /** An address that a running proxy has drains; a free one goes. */
  const writeAddresses = Effect.fnUntraced(function* (addresses: ShopRows["addresses"]) {
    const rows = listed(sql, "exit_address", yield* encode.addresses(addresses))
    // NOT IN reads the list once (a hashed subplan). NOT EXISTS may read it for each address: PostgreSQL expects a short list.
    const isGone = sql`a.ip NOT IN (SELECT ip FROM ${rows})`
    yield* sql`
      DELETE FROM exit_address a
      WHERE ${isGone} AND NOT EXISTS (SELECT FROM gateway_proxy p WHERE p.exit_ip = a.ip AND p.status = 'open')
    `
    yield* sql`UPDATE exit_address a SET state = 'draining' WHERE ${isGone}`
    yield* sql`UPDATE exit_address a SET pool = w.pool FROM ${rows} w WHERE w.ip = a.ip AND w.pool <> a.pool`
    yield* sql`
      INSERT INTO exit_address (ip, pool, state) SELECT ip, pool, 'on' FROM ${rows}
      ON CONFLICT (ip) DO UPDATE SET state = 'on' WHERE exit_address.state <> 'on'
    `
  })

  /** An article that the file lacks stays for its running orders. */
  const writeArticles = Effect.fnUntraced(function* (articles: ShopRows["articles"]) {
    const rows = listed(sql, "gateway_article", yield* encode.articles(articles))
    const names = Object.keys(ArticleRow.fields)
    const columns = sql.literal(names.join(", "))
    yield* sql`
      UPDATE gateway_article a SET state = 'renew_only'
      WHERE state = 'on' AND NOT EXISTS (SELECT FROM ${rows} w WHERE w.id = a.id)
    `
    yield* sql`
      INSERT INTO gateway_article (${columns}) SELECT ${columns} FROM ${rows} w
      ON CONFLICT (id) DO UPDATE SET (${columns}) = (${sql.literal(names.map((name) => `excluded.${name}`).join(", "))})
    `
  })

  return Effect.fnUntraced(function* ({ addresses, announce_above, articles, is_demo, pools, rules }: ShopRows) {
    const now = DateTime.toDate(yield* DateTime.now)
    yield* writePools(pools)
    yield* writeAddresses(addresses)
    yield* writeArticles(articles)
    yield* sql`DELETE FROM price_rule`
    yield* sql`INSERT INTO price_rule SELECT * FROM ${listed(sql, "price_rule", yield* encode.rules(rules))}`
    yield* sql`
      DELETE FROM exit_pool p WHERE NOT EXISTS (
        SELECT FROM ${listed(sql, "exit_pool", yield* encode.pools(pools))} w WHERE w.name = p.name
      )
        AND NOT EXISTS (SELECT FROM gateway_article a WHERE a.pool = p.name)
        AND NOT EXISTS (SELECT FROM exit_address a WHERE a.pool = p.name)
        AND NOT EXISTS (SELECT FROM gateway_proxy g WHERE g.pool = p.name AND g.status = 'open')
    `
    yield* sql`
      INSERT INTO shop_state (is_demo, announce_above, applied_at) VALUES (${is_demo}, ${announce_above}, ${now})
      ON CONFLICT (only_row) DO UPDATE SET (is_demo, announce_above, applied_at)
        = (excluded.is_demo, excluded.announce_above, excluded.applied_at)
    `
  }, Effect.orDie)
}

/** Reads and writes the tables of the shop. Other repositories only read them. */
export class ShopRepo extends Context.Service<ShopRepo>()("app/shop/ShopRepo", {
  make: Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    return {
      /** Makes openings of proxies and other changes of the shop wait until the transaction ends. */
      lock: Effect.orDie(sql`SELECT pg_advisory_xact_lock(hashtext('gateway_proxy'))`),
      /** Makes the transaction read one moment, and write nothing. It waits for nobody, and nobody waits for it. */
      readOnly: Effect.orDie(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`),
      ...reading(sql),
      /** Removes articles that nobody has ordered, with their offers. A sale in between fails the transaction. */
      forget: (articles: ReadonlyArray<string>) =>
        Effect.orDie(
          Effect.andThen(
            sql`DELETE FROM offer WHERE provider = 'gateway' AND external_id = ANY (${articles}::text[])`,
            sql`DELETE FROM gateway_article WHERE id = ANY (${articles}::text[])`
          )
        ),
      recordTerms: ({ sells_gateway, takes_real_money }: typeof Terms.Type) =>
        Effect.orDie(sql`
          INSERT INTO service_terms (sells_gateway, takes_real_money) VALUES (${sells_gateway}, ${takes_real_money})
          ON CONFLICT (only_row) DO UPDATE SET (sells_gateway, takes_real_money)
            = (excluded.sells_gateway, excluded.takes_real_money)
        `),
      write: writing(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
