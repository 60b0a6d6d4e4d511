import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { type Group, Period } from "../../../src/staff/reports/Report.ts"
import { definitions } from "../../../src/staff/reports/ReportFigures.ts"
import { ReportsRepo } from "../../../src/staff/reports/ReportsRepo.ts"
import { wholePeriods } from "../../../src/staff/reports/WholePeriods.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

describe("The whole periods between two days", () => {
  it.each([
    ["month", "2027-01-01", "2027-03-31", "2027-01-01", "2027-04-01"],
    ["month", "2027-01-02", "2027-03-31", "2027-02-01", "2027-04-01"],
    ["month", "2027-01-02", "2027-03-30", "2027-02-01", "2027-03-01"],
    ["month", "2027-01-02", "2027-02-27", undefined, undefined],
    ["month", "2026-11-15", "2027-06-10", "2026-12-01", "2027-07-01"],
    ["month", "2026-12-01", "2027-06-09", "2026-12-01", "2027-06-01"],
    ["month", "2027-06-02", "2027-06-10", undefined, undefined],
    ["week", "2027-06-07", "2027-06-10", "2027-06-07", "2027-06-14"],
    ["week", "2027-05-25", "2027-06-09", "2027-05-31", "2027-06-07"],
    ["week", "2027-05-24", "2027-06-06", "2027-05-24", "2027-06-07"],
    ["week", "2027-06-08", "2027-06-09", undefined, undefined]
  ] as const)("of a %s from %s to %s begin on %s and end before %s", (unit, from, to, first, after) => {
    const whole = first === undefined ? undefined : { from: first, to: after }
    assert.deepStrictEqual(wholePeriods({ from, to }, unit, "2027-06-10"), whole)
  })
})

const sums = "entries, amount, usd, cost_usd, costed, costed_usd"

/** Sums of half a year, in which each property has several values and none. */
const seeded = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    INSERT INTO money_day (day, currency, flow, provider, proxy_type, country, offer_id, channel, ${sql.literal(sums)})
    SELECT d::date, 'USD', f, nullif('p' || o % 3, 'p0'), nullif('k' || o % 2, 'k0'), nullif('c' || o % 4, 'c0'),
      nullif(o % 5, 0), c, 1 + o, -o * 1000, -o * 1000, o, 1, -o
    FROM generate_series('2027-01-01'::date, '2027-06-10', '1 day') d, generate_series(1, 7) o,
      unnest(ARRAY['order', 'reversal', 'delivery']) f, unnest(ARRAY['api', NULL]) c
    ON CONFLICT DO NOTHING
  `
  yield* sql`UPDATE money_day SET usd = usd - 5, amount = amount - 5 WHERE offer_id = 2`
  yield* sql`DELETE FROM money_day WHERE offer_id = 3 AND country = 'c3'`
})

const columns: Partial<Record<Group, string>> = {
  provider: "provider",
  kind: "proxy_type",
  country: "country",
  offer: "offer_id::text",
  channel: "channel",
  flow: "flow"
}

const text = (row: any) => JSON.stringify([row.period, row.group, row.sold ?? "0", row.gross, row.reversed])

const ranges = [
  ["2027-01-01", "2027-05-31"],
  ["2027-01-17", "2027-06-10"],
  ["2027-02-03", "2027-04-29"],
  ["2027-03-05", "2027-03-20"]
] as const

layer(Layer.provideMerge(ReportsRepo.layer, TestDatabase.layer))("The sums of a report", (it) => {
  it.effect("are those of all daily sums between its days, for every split and period", () =>
    Effect.gen(function* () {
      yield* seeded
      yield* TestClock.setTime(Date.parse("2027-06-10T12:00:00Z"))
      const repo = yield* ReportsRepo
      const sql = yield* SqlClient.SqlClient
      const definition = definitions.revenue
      for (const [from, to] of ranges)
        for (const by of [undefined, ...definition.groups])
          for (const period of Period.literals) {
            const rows = yield* repo.sums({ definition, from, to, period, by, limit: 10_000 })
            const group = by === undefined ? "NULL::text" : (columns[by] ?? "NULL")
            const expected = yield* sql.unsafe(
              `
              SELECT ${period === "total" ? "NULL" : `to_char(date_trunc('${period}', day::timestamp), 'YYYY-MM-DD')`} AS period,
                ${group} AS "group", sum(entries) FILTER (WHERE flow = 'order')::text AS sold,
                (-coalesce(sum(usd) FILTER (WHERE flow = 'order'), 0))::text AS gross,
                coalesce(sum(usd) FILTER (WHERE flow = 'reversal'), 0)::text AS reversed
              FROM money_day WHERE day BETWEEN $1::date AND $2::date AND flow IN ('order', 'reversal') GROUP BY 1, 2
              `,
              [from, to]
            )
            assert.deepStrictEqual(
              rows.map(text).toSorted(),
              expected.map(text).toSorted(),
              `${from} ${to} ${by} ${period}`
            )
          }
    })
  )
})
