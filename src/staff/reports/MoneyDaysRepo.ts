import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const dimensions = "day, currency, flow, provider, proxy_type, country, offer_id, channel"

/** Adds the rows of `part` to the sums of their days or months. */
const adding = (sql: SqlClient.SqlClient, table: "money_day" | "money_month", part: string) => sql`
  INSERT INTO ${sql(table)} AS d (${sql.literal(dimensions)}, entries, amount, usd, cost_usd, costed, costed_usd)
  SELECT ${sql.literal(dimensions)}, sum(entries), sum(amount), sum(usd), sum(cost_usd), sum(costed), sum(costed_usd)
  FROM ${sql.literal(part)} GROUP BY ${sql.literal(dimensions)}
  ON CONFLICT ON CONSTRAINT ${sql(`${table}_once`)} DO UPDATE SET entries = d.entries + excluded.entries,
    amount = d.amount + excluded.amount, usd = d.usd + excluded.usd, cost_usd = d.cost_usd + excluded.cost_usd,
    costed = d.costed + excluded.costed, costed_usd = d.costed_usd + excluded.costed_usd
`

/** Adds noted records to their sums. Readers see a record before or after it is added, never twice. */
const compact = (sql: SqlClient.SqlClient) => {
  const exclusively = Effect.fnUntraced(function* (limit: number) {
    yield* sql`SELECT pg_advisory_xact_lock(hashtext('money_day'))`
    const [done] = yield* sql<{ taken: number }>`
      WITH taken AS (
        DELETE FROM money_note WHERE ctid = ANY (ARRAY(SELECT ctid FROM money_note LIMIT ${limit})) RETURNING what, id
      ), records AS (
        SELECT r.* FROM taken t CROSS JOIN LATERAL (SELECT * FROM money_record r WHERE r.what = t.what AND r.id = t.id) r
      ), monthly AS (
        SELECT date_trunc('month', day::timestamp)::date AS day, currency, flow, provider, proxy_type, country, offer_id,
          channel, entries, amount, usd, cost_usd, costed, costed_usd
        FROM records
      ), of_days AS (${adding(sql, "money_day", "records")}), of_months AS (${adding(sql, "money_month", "monthly")})
      SELECT count(*)::int AS taken FROM taken
    `
    return done?.taken ?? 0
  }, sql.withTransaction)
  return Effect.fnUntraced(function* (limit: number) {
    const noted = yield* sql`SELECT FROM money_note LIMIT 1`
    return noted.length === 0 ? 0 : yield* exclusively(limit)
  }, Effect.orDie)
}

export class MoneyDaysRepo extends Context.Service<MoneyDaysRepo>()("app/staff/MoneyDaysRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    /** Adds up to `limit` records to the sums. Returns their number. A second instance waits for the first. */
    return { compact: compact(sql) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
