import { DateTime, Schema } from "effect"
import type { Faults } from "../../pages/Field.ts"
import { text } from "../../pages/Html.ts"
import { Day, Group, Period, type ReportName } from "../../staff/reports/Report.ts"
import { definitions } from "../../staff/reports/ReportFigures.ts"
import type { AskedReport } from "../../staff/reports/Reports.ts"

/** A report as a query of a page asks for it: with all defaults. */
export interface ReportQuery extends AskedReport {
  readonly period: Period
}

type Range = readonly [from: string, to: string]

const isDay = Schema.is(Day)
const isPeriod = Schema.is(Period)
const isGroup = Schema.is(Group)

const dayOf = (time: DateTime.Utc) => DateTime.formatIso(time).slice(0, 10)

/** The ranges of days that a page offers, by the current day. */
export const quickRanges = (now: DateTime.Utc) => {
  const today = dayOf(now)
  const month = DateTime.startOf(now, "month")
  const before = (months: number) => dayOf(DateTime.subtract(month, { months }))
  return {
    days_30: [dayOf(DateTime.subtract(now, { days: 29 })), today],
    this_month: [dayOf(month), today],
    last_month: [before(1), dayOf(DateTime.subtract(month, { days: 1 }))],
    months_12: [before(11), today],
    this_year: [`${today.slice(0, 4)}-01-01`, today]
  } satisfies Record<string, Range>
}

/** Reads the query of a page. What is absent or wrong has its default, and a wrong day is a fault. */
export const reportQuery = (
  name: ReportName,
  query: URLSearchParams,
  now: DateTime.Utc
): { readonly asked: ReportQuery; readonly faults: Faults } => {
  const { defaultGroup, defaultPeriod, groups } = definitions[name]
  const [from, to] = quickRanges(now).months_12
  const [period, by] = [query.get("period"), query.get("by")]
  const wrong = ["from", "to"].filter((day) => (query.get(day) ?? "") !== "" && !isDay(query.get(day)))
  const given = (day: "from" | "to", value: string) => {
    const typed = query.get(day)
    return isDay(typed) ? typed : value
  }
  return {
    asked: {
      name,
      from: given("from", from),
      to: given("to", to),
      period: isPeriod(period) ? period : defaultPeriod,
      by: isGroup(by) && groups.includes(by) ? by : defaultGroup
    },
    faults: Object.fromEntries(wrong.map((day) => [day, text("report.day_wrong")]))
  }
}

/** The query of a page that shows a report. */
export const queryOf = ({ by, from, period, to }: ReportQuery): string =>
  new URLSearchParams({ from, to, period, ...(by !== undefined && { by }) }).toString()
