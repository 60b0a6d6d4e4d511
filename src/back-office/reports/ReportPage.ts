import { type Faults, field, select } from "../../pages/Field.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { offsetOf, paging } from "../../pages/Paging.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import { Period, type ReportName, type ReportTable } from "../../staff/reports/Report.ts"
import { definitions } from "../../staff/reports/ReportFigures.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { figureText, groupText, periodText } from "./ReportCells.ts"
import { reportChart } from "./ReportChart.ts"
import { queryOf, quickRanges, type ReportQuery } from "./ReportQuery.ts"
import { reportText } from "./ReportText.ts"

const perPage = 50

const names = Object.keys(reportText.names).filter((name): name is ReportName => Object.hasOwn(definitions, name))

const quickText = {
  days_30: text("report.days_30"),
  this_month: text("report.this_month"),
  last_month: text("report.last_month"),
  months_12: text("report.months_12"),
  this_year: text("report.this_year")
}

const tabs = ({ pathTo }: AdminVisit, { from, name, to }: ReportQuery): Content => {
  const query = new URLSearchParams({ from, to }).toString()
  return html`<nav class="tabs" aria-label="${text("report.which")}">
    ${names.map(
      (one) =>
        html`<a href="${pathTo(`reports/${one}`)}?${query}" ${one === name && html` aria-current="page"`}
          >${reportText.names[one][0]}</a
        >`
    )}
  </nav>`
}

const quickLinks = ({ now, pathTo }: AdminVisit, asked: ReportQuery): Content => {
  const ranges = quickRanges(now)
  return html`<nav class="segments" aria-label="${text("report.quick")}">
    ${(Object.keys(ranges) as ReadonlyArray<keyof typeof ranges>).map((name) => {
      const [from = "", to = ""] = ranges[name]
      const isCurrent = from === asked.from && to === asked.to
      return html`<a
        href="${pathTo(`reports/${asked.name}`)}?${queryOf({ ...asked, from, to })}"
        ${isCurrent && html` aria-current="true"`}
        >${quickText[name]}</a
      >`
    })}
  </nav>`
}

/** The form that chooses days, periods and the split. It works with the keyboard and without a script. */
const chooser = ({ pathTo }: AdminVisit, asked: ReportQuery, faults: Faults): Content => {
  const { defaultGroup, groups } = definitions[asked.name]
  const day = (name: "from" | "to", label: Content) =>
    field({ name, label, type: "date", autocomplete: "off", value: asked[name], error: faults[name] })
  return html`<form class="row" method="get" action="${pathTo(`reports/${asked.name}`)}">
    ${day("from", text("report.from"))} ${day("to", text("report.to"))}
    ${select({ name: "period", label: text("report.rows"), value: asked.period, options: Period.literals.map((period) => [period, reportText.periods[period]]) })}
    ${
      groups.length > 0 &&
      select({
        name: "by",
        label: text("report.split"),
        value: asked.by ?? "",
        options: [
          ...(defaultGroup === undefined ? [["", text("report.split_none")] as const] : []),
          ...groups.map((group) => [group, reportText.groups[group]] as const)
        ]
      })
    }
    <button class="primary">${text("report.show_button")}</button>
  </form>`
}

type Row = ReportTable["rows"][number]

const rowsOf = ({ by, columns, name, period }: ReportTable, rows: ReadonlyArray<Row>): Content =>
  table<Row>(
    columns.map((column, at) => {
      const head = reportText.column(name, column.name)
      if (column.name === "period")
        return { head, as: "name", cell: (row) => html`<b>${periodText(period, row["period"] ?? null)}</b>` }
      const isGroup = column.name === by
      const cell = (row: Row) => {
        const value = row[column.name] ?? null
        return isGroup ? groupText(by, value) : figureText(column.kind, value, row)
      }
      if (column.kind !== "text") return { head, as: "number", cell, label: head }
      return at === 0 ? { head, as: "name", cell: (row) => html`<b>${cell(row)}</b>` } : { head, cell, label: head }
    }),
    rows
  )

const result = (visit: AdminVisit, asked: ReportQuery, report: ReportTable): Content => {
  const { actor, now, pathTo, query } = visit
  const { source } = definitions[report.name]
  const [title] = reportText.names[report.name]
  if (report.rows.length === 0)
    return html`<p>${source === "money" ? text("report.none_money") : text("report.none")}</p>`
  const offset = Math.min(offsetOf(query), Math.floor((report.rows.length - 1) / perPage) * perPage)
  const at = pathTo(`reports/${report.name}`)
  const shown = reportChart(report, now)
  return html`${shown !== undefined && html`<section class="card">${shown}</section>`}
    <section class="card stack">
      ${report.is_cut && html`<p class="note">${text("report.cut")}</p>`}
      <div class="scroll" role="region" tabindex="0" aria-label="${text("report.table", { report: title })}">
        ${rowsOf(report, report.rows.slice(offset, offset + perPage))}
      </div>
      ${paging({ offset, limit: perPage, total: report.rows.length }, (offset) => `${at}?${queryOf(asked)}&offset=${offset}`)}
      ${
        may(actor, "report.export") &&
        html`<p><a href="${at}/file.csv?${queryOf(asked)}" download>${text("report.csv_link")}</a></p>`
      }
    </section>`
}

/** A report: its chooser, its chart and its table. Without a table the chooser has a fault. */
export const reportPage = (
  visit: AdminVisit,
  asked: ReportQuery,
  { faults = {}, report }: { readonly faults?: Faults; readonly report?: ReportTable | undefined }
): Page => {
  const [title, lead] = reportText.names[asked.name]
  return adminPage(
    visit,
    { title, section: "reports", lead, faults },
    html`${tabs(visit, asked)} ${quickLinks(visit, asked)}
      <section class="card">${chooser(visit, asked, faults)}</section>
      ${report !== undefined && result(visit, asked, report)}`
  )
}
