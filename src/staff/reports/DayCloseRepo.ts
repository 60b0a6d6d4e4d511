import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"

/** The rows that one statement reads, so that it ends in time on a ledger of any size. */
const atMost = { terms: 20_000, refunds: 20_000, wallets: 500 } as const

/** The last row that a statement read, by a time and an id. */
const Place = Schema.Struct({ at: Schema.String, id: Schema.String })
type Place = typeof Place.Type

/** Repeats a statement that answers the last row that it read, until it finds no more. */
const throughout = <E, R>(from: Place, part: (after: Place) => Effect.Effect<Option.Option<Place>, E, R>) =>
  Effect.gen(function* () {
    let after: Place | undefined = from
    while (after !== undefined) after = Option.getOrUndefined(yield* part(after))
  })

const first = "00000000-0000-0000-0000-000000000000"
const last = "ffffffff-ffff-ffff-ffff-ffffffffffff"

/**
 * A copy of the terms that a day needs: those that ran at its end or 30 days before, and those with a part that had not passed.
 * `unearned` is that part in dollars.
 */
const copied = (sql: SqlClient.SqlClient) => sql`
  CREATE TEMP TABLE closing_term (
    user_id uuid, provider text, proxy_type text, is_live boolean, was_live boolean, unearned numeric
  ) ON COMMIT DROP
`

/** Copies terms, the first to end first. Ended ones are not read. */
const terms = (sql: SqlClient.SqlClient, end: Date, before: Date) => {
  const read = Rows.first(Place)
  const live = (at: Date) =>
    sql`(t.ends_at > ${at} AND t.starts_at <= ${at} AND t.delivered_at < ${at} AND (t.ended_at IS NULL OR t.ended_at > ${at}))`
  /** The part that is left, less what was returned of it. */
  const left = sql`div((t.amount_usd - coalesce(r.returned, 0)) * CASE WHEN t.starts_at = t.ends_at THEN 1
      ELSE extract(epoch FROM t.ends_at - greatest(t.starts_at, ${end}::timestamptz)) END,
    CASE WHEN t.starts_at = t.ends_at THEN 1 ELSE extract(epoch FROM t.ends_at - t.starts_at) END)`
  return throughout({ at: before.toISOString(), id: last }, ({ at, id }) =>
    read(sql`
      WITH part AS (
        SELECT * FROM revenue_term WHERE ends_at >= ${at}::timestamptz
          AND (ends_at, transaction_id) > (${at}::timestamptz, ${id}::uuid)
        ORDER BY ends_at, transaction_id LIMIT ${atMost.terms}
      ), copied AS (
        INSERT INTO closing_term (user_id, provider, proxy_type, is_live, was_live, unearned)
        SELECT user_id, provider, proxy_type, is_live, was_live, CASE WHEN is_open THEN ${left} END
        FROM (
          SELECT t.*, ${live(end)} AS is_live, ${live(before)} AS was_live,
            t.ends_at > ${end} AND t.sold_at < ${end} AND (t.ended_at IS NULL OR t.ended_at >= ${end}) AS is_open
          FROM part t
        ) t LEFT JOIN LATERAL (
          SELECT sum(CASE r.currency WHEN 'USD' THEN r.amount
            ELSE round(p.amount_usd * r.amount::numeric / -p.amount)::bigint END) AS returned
          FROM wallet_transaction r JOIN wallet_transaction p ON p.id = r.refunded_transaction_id
          WHERE t.is_open AND r.refunded_transaction_id = t.transaction_id AND r.transaction_type = 'refund'
            AND r.created_at < ${end}
        ) r ON true
        WHERE is_live OR was_live OR is_open
      )
      SELECT ends_at::text AS at, transaction_id AS id FROM part ORDER BY ends_at DESC, transaction_id DESC LIMIT 1
    `)
  )
}

/** Adds payments for what was not delivered by the end of the day, and was returned later. */
const undelivered = (sql: SqlClient.SqlClient, end: Date) => {
  const read = Rows.first(Place)
  return throughout({ at: end.toISOString(), id: first }, ({ at, id }) =>
    read(sql`
      WITH part AS (
        SELECT id, refunded_transaction_id, cause, created_at FROM wallet_transaction
        WHERE transaction_type = 'refund' AND created_at >= ${at}::timestamptz
          AND (created_at, id) > (${at}::timestamptz, ${id}::uuid)
        ORDER BY created_at, id LIMIT ${atMost.refunds}
      ), added AS (
        INSERT INTO closing_term (provider, proxy_type, is_live, was_live, unearned)
        SELECT o.provider, o.proxy_type, false, false, coalesce(p.amount_usd, -p.amount)
        FROM part r JOIN wallet_transaction p ON p.id = r.refunded_transaction_id JOIN proxy_order o ON o.id = p.order_id
        WHERE r.cause IS NULL AND p.updated_at < ${end}
          AND NOT EXISTS (SELECT FROM revenue_term t WHERE t.transaction_id = p.id)
      )
      SELECT created_at::text AS at, id FROM part ORDER BY created_at DESC, id DESC LIMIT 1
    `)
  )
}

/** The money that was paid before `end` for time after it, with payments that still wait for their delivery. */
const unearned = (sql: SqlClient.SqlClient, day: string, end: Date) => sql`
  INSERT INTO deferred_day (day, provider, proxy_type, amount_usd)
  SELECT ${day}::date, provider, proxy_type, sum(amount_usd) FROM (
    SELECT provider, proxy_type, unearned AS amount_usd FROM closing_term
    UNION ALL
    SELECT o.provider, o.proxy_type, coalesce(p.amount_usd, -p.amount)
    FROM proxy_order o JOIN wallet_transaction p ON p.transaction_type = 'payment' AND p.reference = o.id::text
    WHERE o.status = 'paid' AND p.updated_at < ${end}
    UNION ALL
    SELECT o.provider, o.proxy_type, c.total_usd
    FROM proxy_change c JOIN proxy_order o ON o.id = c.order_id
    JOIN wallet_transaction p ON p.transaction_type = 'payment' AND p.reference = 'change:' || c.id
    WHERE c.status = 'pending' AND p.updated_at < ${end}
  ) parts
  GROUP BY 2, 3 HAVING sum(amount_usd) > 0
`

/** Customers with a running term at the end of the day and 30 days before. */
const customers = (sql: SqlClient.SqlClient, day: string) => sql`
  INSERT INTO customer_day (day, live, live_before, stayed)
  SELECT ${day}::date, count(*) FILTER (WHERE is_live), count(*) FILTER (WHERE was_live),
    count(*) FILTER (WHERE is_live AND was_live)
  FROM (
    SELECT bool_or(is_live) AS is_live, bool_or(was_live) AS was_live FROM closing_term
    WHERE is_live OR was_live GROUP BY user_id
  ) customers
`

const Granted = Schema.Struct({ last: Schema.NullOr(Schema.String), USD: Schema.BigInt, STAR: Schema.BigInt })

/** Sums what is left of given money in all wallets: it is spent first, so it is what was given, less what was spent. */
const granted = (sql: SqlClient.SqlClient, end: Date) => {
  const read = Rows.one(Granted)
  const part = (after: string) =>
    read(sql`
      WITH part AS (SELECT id, currency FROM wallet WHERE id > ${after}::uuid ORDER BY id LIMIT ${atMost.wallets}), held AS (
        SELECT w.currency, greatest(0, least(sum(t.amount),
          coalesce(sum(t.amount) FILTER (WHERE t.cause IN ('goodwill', 'goodwill_revoked', 'warranty') OR t.reference LIKE 'referral:%'), 0)
          + coalesce(sum(t.amount) FILTER (WHERE t.transaction_type IN ('payment', 'refund')), 0))) AS granted
        FROM part w JOIN wallet_transaction t ON t.wallet_id = w.id
        WHERE t.status = 'completed' AND t.updated_at < ${end} AND EXISTS (
          SELECT FROM wallet_transaction g WHERE g.wallet_id = w.id AND g.transaction_type IN ('deposit', 'withdrawal')
            AND (g.cause IN ('goodwill', 'warranty') OR g.reference LIKE 'referral:%')
        )
        GROUP BY w.id, w.currency
      )
      SELECT (SELECT id FROM part ORDER BY id DESC LIMIT 1) AS last,
        coalesce(sum(granted) FILTER (WHERE currency = 'USD'), 0)::bigint AS "USD",
        coalesce(sum(granted) FILTER (WHERE currency = 'STAR'), 0)::bigint AS "STAR"
      FROM held
    `)
  return Effect.gen(function* () {
    let sums = { USD: 0n, STAR: 0n }
    for (let after: string | null = first; after !== null;) {
      const { last, STAR, USD }: typeof Granted.Type = yield* part(after)
      sums = { USD: sums.USD + USD, STAR: sums.STAR + STAR }
      after = last
    }
    return sums
  })
}

/** The money that wallets held. */
const liabilities = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, day: string, end: Date) {
  const { STAR, USD } = yield* granted(sql, end)
  yield* sql`
    INSERT INTO liability_day (day, currency, paid, granted)
    SELECT ${day}::date, m.currency, m.balance - g.granted, g.granted
    FROM (
      SELECT currency, sum(amount) AS balance FROM money_split WHERE split = 'all' AND day <= ${day}::date GROUP BY 1
    ) m JOIN (VALUES ('USD', ${USD}::bigint), ('STAR', ${STAR}::bigint)) AS g (currency, granted) USING (currency)
  `
})

/** A term is renewed by a later extension of its order. Time that staff gave after it puts off the moment when it is due. */
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
    WHERE t.kind <> 'traffic' AND t.delivered_at < ${end} AND NOT EXISTS (
      SELECT FROM revenue_term g WHERE g.order_id = t.order_id AND g.kind = 'gift' AND g.starts_at = t.ends_at
        AND g.delivered_at < ${end} AND g.transaction_id <> t.transaction_id
    ) AND (
      (t.ended_at IS NULL AND t.ends_at >= ${day}::date::timestamp AT TIME ZONE 'UTC' AND t.ends_at < ${end})
      OR (t.ended_at >= ${day}::date::timestamp AT TIME ZONE 'UTC' AND t.ended_at < ${end})
    )
  ) ended GROUP BY 2, 3
`

const isLocked = (error: SqlError.SqlError) => error.reason._tag === "LockTimeoutError"

/** The lock comes before the snapshot, so that a day that another instance has stored is seen. */
const close = (sql: SqlClient.SqlClient) => {
  const stored = Effect.fnUntraced(
    function* (day: string, end: DateTime.Utc) {
      const at = DateTime.toDate(end)
      const before = DateTime.toDate(DateTime.subtract(end, { days: 30 }))
      yield* sql`LOCK TABLE customer_day IN SHARE ROW EXCLUSIVE MODE NOWAIT`
      if (yield* Rows.any(sql`SELECT FROM customer_day WHERE day = ${day}::date`)) return true
      yield* copied(sql)
      yield* terms(sql, at, before)
      yield* undelivered(sql, at)
      yield* customers(sql, day)
      yield* unearned(sql, day, at)
      yield* liabilities(sql, day, at)
      yield* renewals(sql, day, at)
      return true
    },
    (effect) => sql.withTransaction(effect),
    Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL REPEATABLE READ")
  )
  return (day: string, end: DateTime.Utc) =>
    Effect.orDie(Effect.catchIf(stored(day, end), isLocked, () => Effect.succeed(false)))
}

const NextDay = Schema.Struct({ day: Schema.NullOr(Schema.String) })

/** The figures of days that have ended. */
export class DayCloseRepo extends Context.Service<DayCloseRepo>()("app/staff/DayCloseRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const next = Rows.first(NextDay)

    return {
      /** The day after the last stored one, or the first day of the ledger. None without a ledger. */
      nextDay: next(sql`
        SELECT to_char(coalesce((SELECT max(day) + 1 FROM customer_day), (SELECT min(day) FROM money)), 'YYYY-MM-DD') AS day
      `).pipe(Effect.map(Option.flatMapNullishOr(({ day }) => day))),

      /**
       * Stores the figures at the end of a day, once, from one snapshot. Each statement reads a bounded number of records of the
       * past. False: another instance is storing figures.
       */
      close: close(sql)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
