import { Context, DateTime, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Rows from "../../platform/postgres/Rows.ts"
import type { Group, Period } from "./Report.ts"
import type { Definition } from "./ReportFigures.ts"
import { wholePeriods } from "./WholePeriods.ts"

const sale = "flow IN ('order', 'append', 'restart', 'traffic', 'ip_check')"
const returned = "flow IN ('refund_whole', 'refund_returned')"
const methods = ["card_gateway", "crypto_gateway", "messenger_stars"]
const listed = (names: ReadonlyArray<string>) => names.map((name) => `'${name}'`).join(", ")
const paid = `flow IN (${listed(methods)})`
const unpaid = (status: string) => `flow IN (${listed(methods.map((name) => `${name}_${status}`))})`
/** Payments that a gateway took back, and refunds that went back to one. */
const left = "flow IN ('taken_back', 'given_back', 'gateway_refund', 'payout_returned', 'payout', 'payout_declined')"

/** The sums over daily sums. Sales are negative in the ledger. */
const moneySums: Readonly<Record<string, readonly [sum: string, flows: string]>> = {
  sold: ["sum(entries)", sale],
  gross: ["-sum(usd)", sale],
  reversed: ["sum(usd)", "flow = 'reversal'"],
  returned: ["sum(usd)", returned],
  refunds: ["sum(entries)", `flow = 'reversal' OR ${returned}`],
  goodwill: ["sum(usd)", "flow IN ('goodwill', 'goodwill_revoked', 'warranty')"],
  deliveries: ["sum(entries)", "flow IN ('delivery', 'ip_check')"],
  costed: ["sum(costed)", "flow = 'delivery'"],
  costed_sales: ["-sum(costed_usd)", `flow = 'delivery' OR ${returned}`],
  cost: ["sum(cost_usd)", "flow IN ('delivery', 'gift')"],
  paid: ["sum(entries)", paid],
  paid_amount: ["sum(amount)", paid],
  failed: ["sum(entries)", unpaid("failed")],
  expired: ["sum(entries)", unpaid("expired")],
  left_amount: ["-sum(amount)", left]
}

const groups: Readonly<Record<Group, string>> = {
  provider: "provider",
  kind: "proxy_type",
  country: "country",
  offer: "offer_id::text",
  channel: "channel",
  flow: "flow",
  currency: "currency",
  method: "CASE WHEN flow ~ '_(failed|expired)$' THEN regexp_replace(flow, '_(failed|expired)$', '') ELSE flow END"
}

const periods: Readonly<Record<Period, string>> = {
  day: "day",
  week: "date_trunc('week', day::timestamp)::date",
  month: "date_trunc('month', day::timestamp)::date",
  total: "NULL::date"
}

interface Question {
  readonly definition: Definition
  readonly from: string
  readonly to: string
  readonly period: Period
  readonly by: Group | undefined
  readonly limit: number
  /** The whole weeks or months between the days whose sums the report reads. */
  readonly whole: ReturnType<typeof wholePeriods>
}

const SumRow = Schema.Record(Schema.String, Schema.NullOr(Schema.String))

/** The first and the last day are parameters of the statement. */
const between = "BETWEEN $1::date AND $2::date"

/** The figures of days are those of the last stored day of each period. */
const lastDays = ({ period }: Question) => `
  SELECT ${periods[period]} AS period, min(day) - 1 AS before, max(day) AS day FROM customer_day
  WHERE day ${between} GROUP BY 1
`

const grouped = (by: Group | undefined) => (by === undefined ? "NULL::text" : groups[by])

/** The splits with so many groups that there are sums of weeks and months beside those of days. */
const units: Partial<Record<Group, Partial<Record<Period, "week" | "month">>>> = {
  country: { week: "week", month: "month", total: "month" },
  offer: { month: "month", total: "month" }
}

const unitOf = ({ by, period }: Pick<Question, "by" | "period">) => (by === undefined ? undefined : units[by]?.[period])

/** The splits that the daily sums know. Flows, currencies and methods are columns of all of them. */
const splits: ReadonlyArray<Group> = ["provider", "kind", "country", "offer", "channel"]

/** The daily sums under a split, with the value of its group. */
const daily = (by: Group | undefined, columns: string) => {
  const isSplit = by !== undefined && splits.includes(by)
  return `
    SELECT day, ${isSplit ? "value" : grouped(by)} AS "group", currency, flow, ${columns}
    FROM money_split WHERE split = '${isSplit ? by : "all"}' AND day ${between}
  `
}

/** The sums between the days of a question: those of whole weeks or months, and those of the days beside them. */
const sumsBetween = (question: Question, columns: string) => {
  const { by, whole } = question
  if (whole === undefined) return daily(by, columns)
  const { from, to } = whole
  return `
    SELECT day, value AS "group", currency, flow, ${columns}
    FROM money_split WHERE split = '${by}_${unitOf(question)}' AND day >= '${from}' AND day < '${to}'
    UNION ALL
    ${daily(by, columns)} AND NOT (day >= '${from}' AND day < '${to}')
  `
}

/** The rows under a question: a period, a group, a currency where rows have one, and sums. */
const queries: Readonly<Record<Definition["source"], (question: Question) => string>> = {
  money: (question) => {
    const { by, definition, period } = question
    const used = definition.sums.map((name) => moneySums[name] ?? ["sum(entries)", "false"])
    const sums = definition.sums.map(
      (name, at) => `coalesce(${used[at]?.[0]} FILTER (WHERE ${used[at]?.[1]}), 0) AS ${name}`
    )
    const added = [...new Set(used.map(([sum]) => sum.replace(/^-?sum\((\w+)\)$/, "$1")))]
    return `
      SELECT ${periods[period]} AS period, "group", ${by === "method" ? "currency" : "NULL::text"} AS currency, ${sums.join(", ")}
      FROM (${sumsBetween(question, added.join(", "))}) sums
      WHERE ${[...new Set(used.map(([, flows]) => `(${flows})`))].join(" OR ")} GROUP BY 1, 2, 3
    `
  },
  recognised: (question) => `
    SELECT period, "group", NULL::text AS currency, sum(before) AS before, sum(net) AS net, sum(after) AS after FROM (
      WITH bounds AS (${lastDays(question)})
      SELECT period, ${grouped(question.by)} AS "group", amount_usd AS before, 0 AS net, 0 AS after
      FROM bounds b JOIN deferred_day d ON d.day = b.before
      UNION ALL
      SELECT period, ${grouped(question.by)}, 0, 0, amount_usd FROM bounds b JOIN deferred_day d ON d.day = b.day
      UNION ALL
      SELECT b.period, m."group", 0, -m.usd, 0
      FROM bounds b JOIN (
        SELECT day, "group", sum(usd) AS usd FROM (${daily(question.by, "usd")}) days
        WHERE ${sale} OR ${returned} OR flow = 'reversal' GROUP BY 1, 2
      ) m ON m.day > b.before AND m.day <= b.day
    ) parts GROUP BY 1, 2
  `,
  unearned: (question) => `
    SELECT b.period, ${grouped(question.by)} AS "group", NULL::text AS currency, coalesce(sum(amount_usd), 0) AS unearned
    FROM (${lastDays(question)}) b LEFT JOIN deferred_day d ON d.day = b.day GROUP BY 1, 2
  `,
  liabilities: (question) => `
    SELECT b.period, currency AS "group", currency, sum(paid) AS paid, sum(granted) AS granted
    FROM (${lastDays(question)}) b JOIN liability_day d ON d.day = b.day GROUP BY 1, 2, 3
  `,
  renewals: ({ by, period }) => `
    SELECT ${periods[period]} AS period, ${grouped(by)} AS "group", NULL::text AS currency, sum(due) AS due,
      sum(renewed) AS renewed, sum(auto_renewed) AS auto_renewed, sum(ended_early) AS ended_early
    FROM renewal_day WHERE day ${between} GROUP BY 1, 2
  `,
  churn: (question) => `
    SELECT b.period, NULL::text AS "group", NULL::text AS currency, d.live, d.live_before, d.stayed
    FROM (${lastDays(question)}) b JOIN customer_day d ON d.day = b.day
  `
}

export class ReportsRepo extends Context.Service<ReportsRepo>()("app/staff/ReportsRepo", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const read = Rows.unchecked(SumRow)
    return {
      /** Reads one row more than the limit. The words of a question come from closed lists. */
      sums: Effect.fnUntraced(function* (asked: Omit<Question, "whole">) {
        const today = DateTime.formatIso(yield* DateTime.now).slice(0, 10)
        const unit = unitOf(asked)
        const question = { ...asked, whole: unit === undefined ? undefined : wholePeriods(asked, unit, today) }
        const { definition, from, limit, to } = question
        const columns = definition.sums.map((name) => `${name}::bigint::text AS ${name}`).join(", ")
        const largest = definition.largest === undefined ? "" : `${definition.largest} DESC, `
        return yield* read(
          sql.unsafe(
            `
            SELECT to_char(period, 'YYYY-MM-DD') AS period, "group", currency, ${columns}
            FROM (${queries[definition.source](question)}) q
            ORDER BY q.period NULLS FIRST, ${largest === "" ? "" : `q.${largest}`}q."group" NULLS LAST, currency
            LIMIT ${limit + 1}
            `,
            [from, to]
          )
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
