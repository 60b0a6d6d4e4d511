import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"

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

/** The dollars of a refund: the share of its payment. */
const refunded = (sql: SqlClient.SqlClient) =>
  sql.literal(
    "CASE r.currency WHEN 'USD' THEN r.amount ELSE round(p.amount_usd * r.amount::numeric / -p.amount)::bigint END"
  )

/**
 * What was paid for before `end` and had not passed by then: the part of each term that is left, less what was returned of
 * it, and payments for what was not delivered yet.
 */
const unearned = (sql: SqlClient.SqlClient, day: string, end: Date) => sql`
  INSERT INTO deferred_day (day, provider, proxy_type, amount_usd)
  SELECT ${day}::date, provider, proxy_type, sum(amount_usd) FROM (
    SELECT t.provider, t.proxy_type, div((t.amount_usd - coalesce(r.returned, 0)) * CASE WHEN t.starts_at = t.ends_at THEN 1
        ELSE extract(epoch FROM t.ends_at - greatest(t.starts_at, ${end}::timestamptz)) END,
      CASE WHEN t.starts_at = t.ends_at THEN 1 ELSE extract(epoch FROM t.ends_at - t.starts_at) END) AS amount_usd
    FROM revenue_term t LEFT JOIN (
      SELECT r.refunded_transaction_id, sum(${refunded(sql)}) AS returned
      FROM wallet_transaction r JOIN wallet_transaction p ON p.id = r.refunded_transaction_id
      WHERE r.transaction_type = 'refund' AND r.created_at < ${end} GROUP BY 1
    ) r ON r.refunded_transaction_id = t.transaction_id
    WHERE t.ends_at > ${end} AND t.sold_at < ${end} AND (t.ended_at IS NULL OR t.ended_at >= ${end})
    UNION ALL
    SELECT o.provider, o.proxy_type, coalesce(p.amount_usd, -p.amount)
    FROM proxy_order o JOIN wallet_transaction p ON p.transaction_type = 'payment' AND p.reference = o.id::text
    WHERE o.status = 'paid' AND p.updated_at < ${end}
    UNION ALL
    SELECT o.provider, o.proxy_type, c.total_usd
    FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id
    JOIN wallet_transaction p ON p.transaction_type = 'payment' AND p.reference = 'change:' || c.id
    WHERE c.status = 'pending' AND p.updated_at < ${end}
    UNION ALL
    SELECT o.provider, o.proxy_type, coalesce(p.amount_usd, -p.amount)
    FROM wallet_transaction r JOIN wallet_transaction p ON p.id = r.refunded_transaction_id
    JOIN proxy_order o ON o.id = p.order_id
    WHERE r.transaction_type = 'refund' AND r.cause IS NULL AND r.created_at >= ${end} AND p.updated_at < ${end}
      AND NOT EXISTS (SELECT FROM revenue_term t WHERE t.transaction_id = p.id)
  ) parts
  GROUP BY 2, 3 HAVING sum(amount_usd) > 0
`

/** Given money is spent first, so what is left of it is what was given, less what was spent. */
const liabilities = (sql: SqlClient.SqlClient, day: string, end: Date) => sql`
  INSERT INTO liability_day (day, currency, paid, granted)
  SELECT ${day}::date, m.currency, m.balance - coalesce(g.granted, 0), coalesce(g.granted, 0)
  FROM (
    SELECT currency, sum(amount) AS balance FROM money_split WHERE split = 'all' AND day <= ${day}::date GROUP BY 1
  ) m
  LEFT JOIN (
    SELECT currency, sum(greatest(0, least(balance, given + spent))) AS granted FROM (
      SELECT t.currency, sum(t.amount) AS balance,
        coalesce(sum(t.amount) FILTER (WHERE t.transaction_type IN ('payment', 'refund')), 0) AS spent,
        coalesce(sum(t.amount) FILTER (
          WHERE t.cause IN ('goodwill', 'goodwill_revoked') OR t.reference LIKE 'referral:%'), 0) AS given
      FROM wallet_transaction t
      WHERE t.status = 'completed' AND t.updated_at < ${end} AND t.wallet_id IN (
        SELECT wallet_id FROM wallet_transaction
        WHERE transaction_type IN ('deposit', 'withdrawal') AND (cause = 'goodwill' OR reference LIKE 'referral:%')
      )
      GROUP BY t.wallet_id, t.currency
    ) wallets GROUP BY 1
  ) g USING (currency)
`

/** A term is renewed by a later extension of its order. */
const renewals = (sql: SqlClient.SqlClient, day: string, end: Date) => sql`
  INSERT INTO renewal_day (day, provider, proxy_type, due, renewed, auto_renewed, ended_early)
  SELECT ${day}::date, provider, proxy_type, count(*) FILTER (WHERE ended_at IS NULL OR is_auto IS NOT NULL),
    count(is_auto), count(*) FILTER (WHERE is_auto), count(*) FILTER (WHERE ended_at IS NOT NULL AND is_auto IS NULL)
  FROM (
    SELECT t.provider, t.proxy_type, t.ended_at, (
      SELECT n.is_auto_renewal FROM revenue_term n
      WHERE n.order_id = t.order_id AND n.kind IN ('append', 'restart') AND n.transaction_id <> t.transaction_id
        AND n.sold_at >= t.sold_at AND n.ends_at > coalesce(t.ended_at, t.ends_at) AND n.delivered_at < ${end}
      ORDER BY n.sold_at LIMIT 1
    ) AS is_auto
    FROM revenue_term t
    WHERE t.kind <> 'traffic' AND t.delivered_at < ${end} AND (
      (t.ended_at IS NULL AND t.ends_at >= ${day}::date::timestamp AT TIME ZONE 'UTC' AND t.ends_at < ${end})
      OR (t.ended_at >= ${day}::date::timestamp AT TIME ZONE 'UTC' AND t.ended_at < ${end})
    )
  ) ended GROUP BY 2, 3
`

/** Customers with a running term at two moments. Stores nothing when the day is stored already. */
const customers = (sql: SqlClient.SqlClient, day: string, end: Date, before: Date) => {
  const live = (at: Date) => sql`
    SELECT DISTINCT user_id FROM revenue_term
    WHERE ends_at > ${at} AND starts_at <= ${at} AND delivered_at < ${at} AND (ended_at IS NULL OR ended_at > ${at})
  `
  return sql`
    WITH now_live AS (${live(end)}), then_live AS (${live(before)})
    INSERT INTO customer_day (day, live, live_before, stayed)
    SELECT ${day}::date, (SELECT count(*) FROM now_live), (SELECT count(*) FROM then_live),
      (SELECT count(*) FROM now_live JOIN then_live USING (user_id))
    ON CONFLICT (day) DO NOTHING RETURNING day
  `
}

const NextDay = Schema.Struct({ day: Schema.NullOr(Schema.String) })

export class MoneyDaysRepo extends Context.Service<MoneyDaysRepo>()("app/staff/MoneyDaysRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const next = Rows.first(NextDay)

    return {
      /** Adds up to `limit` records to the sums. Returns their number. A second instance waits for the first. */
      compact: compact(sql),

      /** The day after the last stored one, or the first day of the ledger. None without a ledger. */
      nextDay: next(sql`
        SELECT to_char(coalesce((SELECT max(day) + 1 FROM customer_day), (SELECT min(day) FROM money)), 'YYYY-MM-DD') AS day
      `).pipe(Effect.map(Option.flatMapNullishOr(({ day }) => day))),

      /** Stores the figures at the end of a day, once. */
      close: Effect.fnUntraced(
        function* (day: string, end: DateTime.Utc) {
          const at = DateTime.toDate(end)
          const before = DateTime.toDate(DateTime.subtract(end, { days: 30 }))
          if (!(yield* Rows.any(customers(sql, day, at, before)))) return
          yield* unearned(sql, day, at)
          yield* liabilities(sql, day, at)
          yield* renewals(sql, day, at)
        },
        sql.withTransaction,
        Effect.orDie
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
