import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const dimensions = "day, currency, flow, provider, proxy_type, country, offer_id, channel"

/** Adds noted records to their sums. Readers see a record before or after it is added, never twice. */
const compact = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(dimensions)
  const exclusively = Effect.fnUntraced(function* (limit: number) {
    yield* sql`SELECT pg_advisory_xact_lock(hashtext('money_day'))`
    const [done] = yield* sql<{ taken: number }>`
      WITH taken AS (
        DELETE FROM money_note WHERE ctid = ANY (ARRAY(SELECT ctid FROM money_note LIMIT ${limit})) RETURNING what, id
      ), added AS (
        INSERT INTO money_day AS d (${columns}, entries, amount, usd, cost_usd, costed, costed_usd)
        SELECT ${columns}, sum(entries), sum(amount), sum(usd), sum(cost_usd), sum(costed), sum(costed_usd)
        FROM taken t CROSS JOIN LATERAL (SELECT * FROM money_record r WHERE r.what = t.what AND r.id = t.id) r
        GROUP BY ${columns}
        ON CONFLICT ON CONSTRAINT money_day_once DO UPDATE SET entries = d.entries + excluded.entries,
          amount = d.amount + excluded.amount, usd = d.usd + excluded.usd, cost_usd = d.cost_usd + excluded.cost_usd,
          costed = d.costed + excluded.costed, costed_usd = d.costed_usd + excluded.costed_usd
      )
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
