import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Daily sums by one property at a time, so that a report of a year by days reads some thousand rows. Triggers on the daily sums
 * keep them, whoever changes these.
 */
export default Effect.gen(function* () {
  yield* sums
  yield* keep
  yield* fill
})

const figures = "entries, amount, usd, cost_usd, costed, costed_usd"

/** The properties by which reports split rows, with their columns. `all` does not split. */
const splits =
  "(VALUES ('all', NULL), ('provider', provider), ('kind', proxy_type), ('country', country), ('offer', offer_id::text), ('channel', channel)) s (split, value)"

const sums = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The index of the constraint has all columns, so a report reads a year of a split without the table. No check forbids
  // negative numbers: PostgreSQL would check the difference that a trigger adds to a sum.
  yield* sql`
    CREATE TABLE money_split_day (
      split text NOT NULL CHECK (split IN ('all', 'provider', 'kind', 'country', 'offer', 'channel')),
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
    SELECT s.split, r.day, s.value, r.currency, r.flow, ${sql.literal(figures)}
    FROM money_note n JOIN money_record r USING (what, id) CROSS JOIN LATERAL ${sql.literal(splits)}
  `
})

/** Rows of the daily sums, as what they add or take away. */
const signed = (sign: 1 | -1, table: string) => `SELECT ${sign} AS sign, * FROM ${table}`

/** Adds changes of daily sums to the sums of their splits. */
const adding = (changed: string) => `
  INSERT INTO money_split_day AS d (split, day, value, currency, flow, ${figures})
  SELECT s.split, day, s.value, currency, flow, sum(sign * entries), sum(sign * amount), sum(sign * usd),
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
      SELECT s.split, day, s.value, currency, flow, sum(entries), sum(amount), sum(usd), sum(cost_usd), sum(costed),
        sum(costed_usd)
      FROM money_day CROSS JOIN LATERAL ${sql.literal(splits)} GROUP BY 1, 2, 3, 4, 5;
    $$
  `
  yield* sql`ALTER FUNCTION money_rebuild() RENAME TO money_day_rebuild`
  yield* sql`
    CREATE FUNCTION money_rebuild() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM money_day_rebuild();
      PERFORM money_split_rebuild();
    END $$
  `
  yield* sql`SELECT money_split_rebuild()`
})
