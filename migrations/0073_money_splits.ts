import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Daily sums by one property at a time, so that a report of a year by days reads some thousand rows. Triggers on the daily sums
 * keep them, whoever changes these. They replace the sums of months, which had all properties.
 */
export default Effect.gen(function* () {
  yield* sums
  yield* keep
  yield* fill
})

const dimensions = "day, currency, flow, provider, proxy_type, country, offer_id, channel"
const totals = "sum(entries), sum(amount), sum(usd), sum(cost_usd), sum(costed), sum(costed_usd)"
const figures = "entries, amount, usd, cost_usd, costed, costed_usd"

/**
 * The properties by which reports split rows, with their columns. `all` does not split. Countries and offers are many, so they
 * have sums of weeks and months too, on their first day.
 */
const splits = `(VALUES ('all', day, NULL), ('provider', day, provider), ('kind', day, proxy_type), ('country', day, country),
  ('offer', day, offer_id::text), ('channel', day, channel),
  ('country_week', date_trunc('week', day::timestamp)::date, country),
  ('country_month', date_trunc('month', day::timestamp)::date, country),
  ('offer_month', date_trunc('month', day::timestamp)::date, offer_id::text)) s (split, at, value)`

const sums = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The index of the constraint has all columns, so a report reads a year of a split without the table. No check forbids
  // negative numbers: PostgreSQL would check the difference that a trigger adds to a sum.
  yield* sql`
    CREATE TABLE money_split_day (
      split text NOT NULL CHECK (split IN ('all', 'provider', 'kind', 'country', 'offer', 'channel', 'country_week',
        'country_month', 'offer_month')),
      day date NOT NULL,
      value text,
      currency text NOT NULL,
      flow text NOT NULL,
      entries integer NOT NULL,
      amount bigint NOT NULL,
      usd bigint NOT NULL,
      cost_usd bigint NOT NULL,
      costed integer NOT NULL,
      costed_usd bigint NOT NULL,
      CONSTRAINT money_split_day_once UNIQUE NULLS NOT DISTINCT (split, day, value, currency, flow)
        INCLUDE (${sql.literal(figures)})
    )
  `
  yield* sql`
    CREATE VIEW money_split AS
    SELECT split, day, value, currency, flow, ${sql.literal(figures)} FROM money_split_day WHERE entries > 0
    UNION ALL
    SELECT s.split, s.at, s.value, r.currency, r.flow, ${sql.literal(figures)}
    FROM money_note n JOIN money_record r USING (what, id) CROSS JOIN LATERAL ${sql.literal(splits)}
  `
})

/** Rows of the daily sums, as what they add or take away. */
const signed = (sign: 1 | -1, table: string) => `SELECT ${sign} AS sign, * FROM ${table}`

/** Adds changes of daily sums to the sums of their splits. */
const adding = (changed: string) => `
  INSERT INTO money_split_day AS d (split, day, value, currency, flow, ${figures})
  SELECT s.split, s.at, s.value, currency, flow, sum(sign * entries), sum(sign * amount), sum(sign * usd),
    sum(sign * cost_usd), sum(sign * costed), sum(sign * costed_usd)
  FROM (${changed}) c CROSS JOIN LATERAL ${splits}
  GROUP BY 1, 2, 3, 4, 5
  HAVING (sum(sign * entries), sum(sign * amount), sum(sign * usd), sum(sign * cost_usd), sum(sign * costed),
    sum(sign * costed_usd)) <> (0, 0, 0, 0, 0, 0)
  ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT ON CONSTRAINT money_split_day_once DO UPDATE SET entries = d.entries + excluded.entries,
    amount = d.amount + excluded.amount, usd = d.usd + excluded.usd, cost_usd = d.cost_usd + excluded.cost_usd,
    costed = d.costed + excluded.costed, costed_usd = d.costed_usd + excluded.costed_usd;
`

const keep = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION money_split_keep() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'INSERT' THEN ${sql.literal(adding(signed(1, "added")))}
      ELSIF TG_OP = 'UPDATE' THEN
        ${sql.literal(adding(`${signed(1, "added")} UNION ALL ${signed(-1, "removed")}`))}
      ELSE ${sql.literal(adding(signed(-1, "removed")))}
      END IF;
      RETURN NULL;
    END $$
  `
  const tables = {
    INSERT: "NEW TABLE AS added",
    UPDATE: "OLD TABLE AS removed NEW TABLE AS added",
    DELETE: "OLD TABLE AS removed"
  }
  for (const [event, referencing] of Object.entries(tables))
    yield* sql`
      CREATE TRIGGER ${sql.literal(`money_split_${event.toLowerCase()}`)} AFTER ${sql.literal(event)} ON money_day
      REFERENCING ${sql.literal(referencing)} FOR EACH STATEMENT EXECUTE FUNCTION money_split_keep()
    `
})

/** Makes the sums again. The triggers exist already, so no sum that an instance adds meanwhile is missed. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION money_split_rebuild() RETURNS void LANGUAGE sql AS $$
      DELETE FROM money_split_day;
      INSERT INTO money_split_day (split, day, value, currency, flow, ${sql.literal(figures)})
      SELECT s.split, s.at, s.value, currency, flow, ${sql.literal(totals)}
      FROM money_day CROSS JOIN LATERAL ${sql.literal(splits)} GROUP BY 1, 2, 3, 4, 5;
    $$
  `
  // The same as before, without the sums of months.
  yield* sql`
    CREATE OR REPLACE FUNCTION money_rebuild() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('money_day'));
      LOCK TABLE money_note IN SHARE ROW EXCLUSIVE MODE;
      DELETE FROM money_note WHERE what <> 'payment';
      DELETE FROM money_day WHERE flow !~ '_(failed|expired)$';
      INSERT INTO money_day (${sql.literal(dimensions)}, ${sql.literal(figures)})
      SELECT ${sql.literal(`${dimensions}, ${totals}`)} FROM money_record WHERE what <> 'payment'
      GROUP BY ${sql.literal(dimensions)};
      PERFORM money_split_rebuild();
    END $$
  `
  yield* sql`DROP VIEW money_by_month`
  yield* sql`DROP TABLE money_month`
  yield* sql`SELECT money_split_rebuild()`
})
