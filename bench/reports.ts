import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as os from "node:os"
import * as Database from "../src/platform/postgres/Database.ts"
import * as Logging from "../src/platform/Logging.ts"
import * as Actor from "../src/staff/Actor.ts"
import { Audit } from "../src/staff/audit/Audit.ts"
import { Period, ReportName } from "../src/staff/reports/Report.ts"
import { definitions } from "../src/staff/reports/ReportFigures.ts"
import { type AskedReport, Reports } from "../src/staff/reports/Reports.ts"
import { heading, line, percentiles, sample } from "./Latency.ts"
import { postgres } from "./WholeService.ts"

/** A year of ten million orders: 300 offers in 60 countries, sold in four ways, with extensions, deliveries and refunds. */
const [orders, offers] = [10_000_000, 300]
const [from, to] = ["2026-01-01", "2026-12-31"]
const [warmUp, requests, tries] = [3, 10, 3]

/** Milliseconds at the 95th percentile on an idle machine. */
const target = 200

/** The flows of an offer and a channel: their share of the orders, and the share of the days on which they happen. */
const flows = [
  { flow: "order", share: 1, days: 100 },
  { flow: "append", share: 0.4, days: 100 },
  { flow: "delivery", share: 1.4, days: 100 },
  { flow: "reversal", share: 0.02, days: 20 },
  { flow: "refund_returned", share: 0.01, days: 10 }
]

/** The daily sums, as the job makes them; triggers make the other sums of them. */
const sums = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const days = sql.literal(`generate_series('${from}'::date, '${to}'::date, '1 day') d`)
  const a_day = orders / 365 / (offers * 4)
  for (const { days: happens, flow, share } of flows) {
    const entries = Math.max(1, Math.round(((a_day * share) / happens) * 100))
    const isBack = flow === "reversal" || flow === "refund_returned"
    const usd = flow === "delivery" ? 0 : (isBack ? 1 : -1) * entries * 2_000_000
    const costed = flow === "delivery" ? entries : 0
    // The triggers of a month take seconds.
    for (let month = 1; month <= 12; month += 1)
      yield* sql`
      INSERT INTO money_day (day, currency, flow, provider, proxy_type, country, offer_id, channel, entries, amount, usd,
        cost_usd, costed, costed_usd)
      SELECT d::date, 'USD', ${flow}, 'vendor-' || o % 3, (ARRAY['Datacenter', 'Residential', 'Mobile'])[o % 3 + 1],
        chr(65 + o % 20) || chr(65 + o % 3), o, c, ${entries}, ${usd}, ${usd}, ${costed * 1_200_000}, ${costed},
        ${costed * -2_000_000}
      FROM ${days}, generate_series(1, ${offers}) o, unnest(ARRAY['pages', 'api', 'agents', 'auto_renew']) c
      WHERE extract(month FROM d) = ${month} AND (hashtext(d::text || o || c) & 65535) % 100 < ${happens}
    `
  }
  yield* sql`
    INSERT INTO money_day (day, currency, flow, entries, amount, usd, cost_usd, costed, costed_usd)
    SELECT d::date, 'USD', f, 4000, 4e10, 4e10, 0, 0, 0
    FROM ${days}, unnest(ARRAY['card_gateway', 'crypto_gateway', 'card_gateway_failed', 'crypto_gateway_expired', 'goodwill']) f
  `
})

/** The figures of days that have ended. */
const closed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const days = sql.literal(`generate_series('${from}'::date - 1, '${to}'::date, '1 day') d`)
  const kinds = sql.literal("generate_series(0, 2) p, unnest(ARRAY['Datacenter', 'Residential', 'Mobile']) k")
  yield* sql`INSERT INTO customer_day SELECT d::date, 300000, 290000, 250000 FROM ${days}`
  yield* sql`INSERT INTO deferred_day SELECT d::date, 'vendor-' || p, k, 5e12 FROM ${days}, ${kinds}`
  yield* sql`INSERT INTO liability_day SELECT d::date, c, 9e12, 1e12 FROM ${days}, unnest(ARRAY['USD', 'STAR']) c`
  yield* sql`INSERT INTO renewal_day SELECT d::date, 'vendor-' || p, k, 3000, 2000, 1500, 10 FROM ${days}, ${kinds}`
})

const labelOf = ({ by, name, period, to }: AskedReport) =>
  `${name}, ${period}${by === undefined ? "" : `, by ${by}`}${to === "2026-12-15" ? ", until the middle of a month" : ""}`

/** Every report over the year, in every period and with every split, and those of months up to the middle of one. */
const cases = ReportName.literals.flatMap((name): ReadonlyArray<AskedReport> => {
  const { defaultGroup, groups } = definitions[name]
  const all = [...(defaultGroup === undefined ? [undefined] : []), ...groups]
  const whole = Period.literals.flatMap((period) => all.map((by) => ({ name, from, to, period, by })))
  return [...whole, { name, from, to: "2026-12-15", period: "month", by: all.at(-1) }]
})

/** More rows than an answer holds. */
const isBeyond = ({ by, period }: AskedReport) =>
  (by === "offer" && (period === "day" || period === "week")) || (by === "country" && period === "day")

const measure = Effect.fnUntraced(function* (asked: AskedReport) {
  const reports = yield* Reports
  const read = reports.read(Actor.system, asked)
  if (isBeyond(asked)) {
    yield* Console.log(`${line(labelOf(asked), yield* sample(1, read))}  more rows than an answer holds`)
    return true
  }
  yield* sample(warmUp, read)
  for (let round = 1; round <= tries; round += 1) {
    const samples = yield* sample(requests, read)
    const isFast = percentiles(samples).p95 <= target
    yield* Console.log(line(labelOf(asked), samples) + (isFast ? "" : "  ABOVE"))
    if (isFast) return true
  }
  return false
})

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sums
  yield* closed
  // As autovacuum does within a day.
  yield* sql`VACUUM ANALYZE`
  const rows = yield* sql<{ table: string; rows: number }>`
    SELECT 'money_day' AS table, count(*)::int AS rows FROM money_day
    UNION ALL SELECT 'money_split_day', count(*)::int FROM money_split_day
  `
  yield* Console.log(rows.map(({ rows, table }) => `${table}: ${rows} rows`).join(", "))
  yield* Console.log(`\n${heading}`)
  let slow = 0
  for (const one of cases) if (!(yield* measure(one))) slow += 1
  yield* Console.log(`${slow} of ${cases.length} above ${target} ms`)
  if (slow > 0) process.exitCode = 1
})

const world = (options: Effect.Success<typeof postgres>) =>
  Layer.provideMerge(Reports.layer, Audit.layer).pipe(Layer.provideMerge(Database.layerWith(options)))

NodeRuntime.runMain(
  Effect.gen(function* () {
    const [cpu] = os.cpus()
    yield* Console.log(
      `${os.cpus().length} x ${cpu?.model}, load ${os.loadavg()[0]?.toFixed(1)}; Node ${process.version}`
    )
    yield* Effect.provide(program, world(yield* postgres))
  }).pipe(Effect.scoped, Effect.timeout("9 minutes"), Effect.provide(Logging.layer))
)
