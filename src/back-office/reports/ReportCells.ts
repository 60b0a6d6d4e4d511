import { DateTime } from "effect"
import { country, date, dollars, money, month, number, percent, usd } from "../../pages/Format.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { Cell, ColumnType, Group, Period, ReportTable } from "../../staff/reports/Report.ts"
import { reportText } from "./ReportText.ts"

type Row = ReportTable["rows"][number]

const nothing = "–"

const timeOf = (day: string) => DateTime.makeUnsafe(`${day}T00:00:00Z`)

/** The days of a row: a day, the week that begins with it, or its month. */
export const periodText = (period: Period, day: Cell): Content => {
  if (typeof day !== "string") return nothing
  const time = timeOf(day)
  if (period === "month") return month(time)
  return period === "week" ? text("report.week_of", { day: date(time) }) : date(time)
}

/** The value by which rows are split, in words where they are known. */
export const groupText = (by: Group, value: Cell): Content => {
  if (typeof value !== "string") return nothing
  if (by === "country") return country(value)
  return reportText.values[value] ?? (by === "flow" ? html`<code>${value}</code>` : value)
}

const isStars = (row: Row) => row["currency"] === "STAR"

/** A figure in its unit. */
export const figureText = (kind: ColumnType, value: Cell, row: Row): Content => {
  if (value === null) return nothing
  if (kind === "rate") return percent(Number(value))
  if (kind === "count") return number(Number(value))
  if (kind === "text") return value
  return kind === "amount" && isStars(row) ? money("STAR", BigInt(value)) : dollars(String(value))
}

/** A number on a chart in the unit of its figure. */
export const numberText = (kind: ColumnType, value: number): Content =>
  kind === "usd" || kind === "amount" ? usd(BigInt(Math.round(value * 1e6))) : number(value)
