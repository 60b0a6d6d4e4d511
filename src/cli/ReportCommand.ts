import { Console, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { userInfo } from "node:os"
import * as Actor from "../staff/Actor.ts"
import { Day, Group, Period, ReportName, type ReportTable } from "../staff/reports/Report.ts"
import { Reports } from "../staff/reports/Reports.ts"
import { tellFailure } from "./TellFailure.ts"

/** The rows under a head, with tabs between the cells. */
const lines = ({ columns, rows }: ReportTable) => [
  columns.map(({ name }) => name).join("\t"),
  ...rows.map((row) => columns.map(({ name }) => row[name] ?? "").join("\t"))
]

const day = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withSchema(Day),
    Flag.withMetavar("day"),
    Flag.withDescription(`${description}, in UTC, such as 2027-01-31`)
  )

const terms = {
  name: Argument.Literals("name", ReportName.literals).pipe(
    Argument.withDescription(`The report: ${ReportName.literals.join(", ")}`)
  ),
  from: day("from", "The first day"),
  to: day("to", "The last day"),
  period: Flag.Literals("period", Period.literals).pipe(
    Flag.optional,
    Flag.withDescription(`The period of a row: ${Period.literals.join(", ")}; each report has a default`)
  ),
  by: Flag.Literals("by", Group.literals).pipe(
    Flag.optional,
    Flag.withDescription(`Split the rows: ${Group.literals.join(", ")}; each report has its ways`)
  ),
  csv: Flag.Boolean("csv").pipe(Flag.withDefault(false), Flag.withDescription("Print CSV instead of tabs"))
}

export const report = <E, R>(services: Layer.Layer<Reports, E, R>) =>
  Command.make(
    "report",
    terms,
    Effect.fn(function* ({ by, csv, period, ...given }) {
      const reports = yield* Reports
      const actor = Actor.cli(userInfo().username)
      const asked = { ...given, period: Option.getOrUndefined(period), by: Option.getOrUndefined(by) }
      if (csv) return yield* Console.log((yield* tellFailure(reports.file(actor, asked))).trimEnd())
      const table = yield* tellFailure(reports.read(actor, asked))
      yield* Effect.forEach(lines(table), (line) => Console.log(line), { discard: true })
      if (table.is_cut) yield* Console.log("There are more rows; ask for fewer days or a longer period")
    })
  ).pipe(
    Command.withDescription("Print revenue, refunds, margin, liabilities, renewals and other figures of the business"),
    Command.provide(services)
  )
