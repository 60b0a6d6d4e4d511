import { Schema } from "effect"

export const ReportName = Schema.Literals([
  "revenue",
  "refunds",
  "margin",
  "sales",
  "recognised",
  "unearned",
  "liabilities",
  "renewals",
  "churn",
  "payments"
]).annotate({ examples: ["revenue"] })
export type ReportName = typeof ReportName.Type

/** The periods of the rows: days, weeks from Monday, months, or the whole time in one. All are of UTC. */
export const Period = Schema.Literals(["day", "week", "month", "total"])
export type Period = typeof Period.Type

/** The property by which rows are split, beside their period. */
export const Group = Schema.Literals(["provider", "kind", "country", "offer", "channel", "flow", "currency", "method"])
export type Group = typeof Group.Type

/** A day in UTC, such as `2027-01-31`. */
export const Day = Schema.String.check(
  Schema.isPattern(/^(19|20|21)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/, { expected: "a day such as 2027-01-31" }),
  Schema.makeFilter((day) => {
    const time = Date.parse(`${day}T00:00:00Z`)
    return (!Number.isNaN(time) && new Date(time).toISOString().startsWith(day)) || "a day of the calendar"
  })
).annotate({ description: "A day in UTC", examples: ["2027-01-31"] })

export interface ReportRequest {
  readonly name: ReportName
  /** The first and the last day. */
  readonly from: string
  readonly to: string
  readonly period: Period
  /** Absent: rows are not split, but for a report that always is. */
  readonly by?: Group | undefined
}

/** `usd` and `amount` are decimal text, `rate` is a share such as 0.25, `count` a whole number. */
const ColumnKind = Schema.Literals(["text", "count", "usd", "amount", "rate"])

/** A value. Null: not known, or a share of nothing. */
export const Cell = Schema.NullOr(Schema.Union([Schema.String, Schema.Finite]))
export type Cell = typeof Cell.Type

/** The answer of every report: its columns, and rows with a cell for each column. */
export const ReportTable = Schema.Struct({
  name: ReportName,
  from: Schema.String,
  to: Schema.String,
  period: Period,
  by: Schema.NullOr(Group),
  columns: Schema.Array(Schema.Struct({ name: Schema.String, kind: ColumnKind })),
  rows: Schema.Array(Schema.Record(Schema.String, Cell)),
  is_cut: Schema.Boolean.annotate({ description: "True when there are more rows than an answer holds" })
}).annotate({ identifier: "Report" })
export type ReportTable = typeof ReportTable.Type

export type ColumnType = typeof ColumnKind.Type
