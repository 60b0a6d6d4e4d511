import { DateTime } from "effect"
import { barChart } from "../../pages/BarChart.ts"
import { chart } from "../../pages/Chart.ts"
import { month, shortDay } from "../../pages/Format.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { ReportName, ReportTable } from "../../staff/reports/Report.ts"
import { groupText, numberText } from "./ReportCells.ts"
import { reportText } from "./ReportText.ts"

/** The figure that the chart of a report shows. Values of several rows of a period are added. */
const figures: Readonly<Record<ReportName, string>> = {
  revenue: "net_usd",
  sales: "net_usd",
  margin: "margin_usd",
  refunds: "returned_usd",
  payments: "paid",
  liabilities: "balance",
  unearned: "unearned_usd",
  recognised: "recognised_usd",
  renewals: "renewed",
  churn: "live"
}

/** The reports of a state at the end of each period. Their values of several periods have no sum. */
const states: ReadonlySet<ReportName> = new Set(["liabilities", "unearned", "churn"])

const mostPoints = 400
const mostBars = 12

const timeOf = (day: string) => DateTime.makeUnsafe(`${day}T00:00:00Z`)
const dayOf = (time: DateTime.Utc) => DateTime.formatIso(time).slice(0, 10)

/** The first days of all periods from the first row on, so that a period without a row shows as 0. */
const periodsOf = ({ period, to }: ReportTable, first: string, now: DateTime.Utc): ReadonlyArray<string> => {
  const step = period === "month" ? { months: 1 } : { days: period === "week" ? 7 : 1 }
  const last = [to, dayOf(now)].toSorted()[0] ?? to
  const days: Array<string> = []
  for (let day = first; day <= last && days.length <= mostPoints; day = dayOf(DateTime.add(timeOf(day), step)))
    days.push(day)
  return days
}

const overTime = (table: ReportTable, kind: ReportTable["columns"][number]["kind"], now: DateTime.Utc): Content => {
  const { name, period, rows } = table
  const sums = new Map<string, number>()
  for (const row of rows) {
    const day = row["period"]
    if (typeof day !== "string" || row["currency"] === "STAR") continue
    sums.set(day, (sums.get(day) ?? 0) + Number(row[figures[name]] ?? 0))
  }
  const known = [...sums.keys()].toSorted()
  const first = known[0]
  if (first === undefined) return undefined
  const isState = states.has(name)
  const days = isState ? known : periodsOf(table, first, now)
  if (days.length > mostPoints) return html`<p class="quiet">${text("report.more_periods")}</p>`
  const points = days.map((day) => ({ at: timeOf(day), value: sums.get(day) ?? 0 }))
  const total = isState ? (points.at(-1)?.value ?? 0) : points.reduce((sum, { value }) => sum + value, 0)
  const figure = reportText.column(name, figures[name])
  const value = html`<b>${numberText(kind, total)}</b>`
  return chart({
    title: figure,
    caption: isState ? text("report.chart_last", { figure, value }) : text("report.chart_sum", { figure, value }),
    none: text("report.none_money"),
    isTabled: true,
    points,
    valueText: (value) => numberText(kind, value),
    timeText: period === "month" ? month : shortDay
  })
}

/** The chart of a report: a line over its periods, or the largest of its groups. */
export const reportChart = (table: ReportTable, now: DateTime.Utc): Content => {
  const { by, columns, name, period, rows } = table
  const kind = columns.find((column) => column.name === figures[name])?.kind ?? "count"
  if (period !== "total") return overTime(table, kind, now)
  if (by === null || by === "currency" || rows.length < 2) return undefined
  const bars = rows
    .map((row) => ({ label: groupText(by, row[by] ?? null), value: Number(row[figures[name]] ?? 0) }))
    .toSorted((a, b) => b.value - a.value)
    .slice(0, mostBars)
  const title = text("report.chart_largest", { figure: reportText.column(name, figures[name]) })
  return barChart({ title, bars, valueText: (value) => numberText(kind, value) })
}
