import { Context, Effect, Layer } from "effect"
import { csv } from "../../platform/Csv.ts"
import { plainCell } from "../../platform/fields/PlainCell.ts"
import { type Actor, needs, type PermissionNeeded } from "../Actor.ts"
import { Audit } from "../audit/Audit.ts"
import * as Guard from "../audit/Guard.ts"
import type { Cell, ReportRequest, ReportTable } from "./Report.ts"
import { ReportGroupUnknown, ReportTimeInvalid } from "./ReportErrors.ts"
import { definitions, type Sums } from "./ReportFigures.ts"
import { ReportsRepo } from "./ReportsRepo.ts"

/** A report: `period` and `by` may be absent. */
export interface AskedReport extends Omit<ReportRequest, "period"> {
  readonly period?: ReportRequest["period"] | undefined
}

type Refused = PermissionNeeded | ReportGroupUnknown | ReportTimeInvalid

const rowsAtMost = 10_000
const daysAtMost = 1100
const day = 86_400_000

/** Gives a request the defaults of its report, and refuses one without bounds. */
const agreed = Effect.fnUntraced(function* ({ by, from, name, period, to }: AskedReport) {
  const definition = definitions[name]
  const days = (Date.parse(to) - Date.parse(from)) / day + 1
  if (!(days >= 1 && days <= daysAtMost)) return yield* new ReportTimeInvalid({ details: {} })
  if (by !== undefined && !definition.groups.includes(by))
    return yield* new ReportGroupUnknown({ details: { groups: [...definition.groups] } })
  return { definition, from, to, period: period ?? definition.defaultPeriod, by: by ?? definition.defaultGroup }
})

/** Works out the rows of a report from its sums. */
export const tableOf = (
  { by, from, name, period, to }: ReportRequest,
  sums: ReadonlyArray<Sums>,
  limit: number = rowsAtMost
): ReportTable => {
  const { figures } = definitions[name]
  const columns = [
    ...(period === "total" ? [] : [{ name: "period", kind: "text" as const }]),
    ...(by === undefined ? [] : [{ name: by, kind: "text" as const }]),
    ...figures.map(({ kind, name }) => ({ name, kind }))
  ]
  const rows = sums.slice(0, limit).map((row): Record<string, Cell> => ({
    ...(period !== "total" && { period: row["period"] ?? null }),
    ...(by !== undefined && { [by]: row["group"] ?? null }),
    ...Object.fromEntries(figures.map((figure) => [figure.name, figure.of(row)]))
  }))
  return { name, from, to, period, by: by ?? null, columns, rows, is_cut: sums.length > limit }
}

/** A report as a CSV file with a header row. Texts that a spreadsheet would run as formulas have an apostrophe. */
const fileOf = ({ columns, rows }: ReportTable) => {
  const texts = new Set(columns.filter(({ kind }) => kind === "text").map(({ name }) => name))
  return csv(
    columns.map(({ name }) => name),
    rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, cell]) => [
          name,
          texts.has(name) && typeof cell === "string" ? plainCell(cell) : cell
        ])
      )
    )
  )
}

/** The figures of the business, from sums that the database keeps. */
export class Reports extends Context.Service<
  Reports,
  {
    /** Reads a report. An answer has at most 10,000 rows. */
    readonly read: (actor: Actor["Service"], asked: AskedReport) => Effect.Effect<ReportTable, Refused>
    /** The same as a CSV file. The audit log shows who exported what. */
    readonly file: (actor: Actor["Service"], asked: AskedReport) => Effect.Effect<string, Refused>
  }
>()("app/staff/Reports") {
  static readonly layerNoDeps = Layer.effect(
    Reports,
    Effect.gen(function* () {
      const audit = yield* Audit
      const guard = yield* Guard.make
      const repo = yield* ReportsRepo

      const table = Effect.fnUntraced(function* (asked: AskedReport) {
        const question = yield* agreed(asked)
        return tableOf({ ...asked, ...question }, yield* repo.sums({ ...question, limit: rowsAtMost }))
      })

      return Reports.of({
        read: Effect.fn("Reports.read")((actor, asked) => Effect.andThen(needs(actor, "report.read"), table(asked))),

        file: Effect.fn("Reports.file")((actor, asked) => {
          const attempt = { actor, permission: "report.export", subject: { kind: "report", id: asked.name } } as const
          const reason = `${asked.from} to ${asked.to}`
          const recorded = audit.record({ actor, action: "report.export", subject: attempt.subject, reason })
          return guard.allow(attempt, Effect.tap(Effect.flatMap(table(asked), fileOf), recorded))
        })
      })
    })
  )

  static readonly layer = this.layerNoDeps.pipe(Layer.provide(ReportsRepo.layer))
}
