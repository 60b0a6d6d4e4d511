import { Effect, Schema } from "effect"
import { csv } from "../../platform/Csv.ts"
import { addressOf } from "../ProxyAddress.ts"
import { exportedCells, exportedColumns, exportedProxy, type ExportedRow } from "./ExportedProxy.ts"
import { fill } from "./ExportTemplate.ts"

export const ExportFormat = Schema.Literals(["txt", "csv", "json"])

/** The form of an export. Only `txt` can have a template for its lines. */
export interface ExportForm {
  readonly format: typeof ExportFormat.Type
  readonly template?: string | null | undefined
}

/** A file that an export makes. */
export interface ExportFile {
  readonly name: string
  readonly contentType: string
  readonly body: string
}

const contentTypes = {
  txt: "text/plain; charset=utf-8",
  csv: "text/csv; charset=utf-8",
  json: "application/json"
} as const satisfies Record<ExportForm["format"], string>

const linesOf = (rows: ReadonlyArray<ExportedRow>, template: string | null | undefined) =>
  rows.map((row) => `${typeof template === "string" ? fill(template, row) : addressOf(row)}\n`).join("")

const bodyOf = ({ format, template }: ExportForm, rows: ReadonlyArray<ExportedRow>): Effect.Effect<string> => {
  if (format === "csv") return csv(exportedColumns, rows.map(exportedCells))
  return Effect.sync(() => (format === "json" ? JSON.stringify(rows.map(exportedProxy)) : linesOf(rows, template)))
}

/** Writes proxies as a file. Without a template, each line of `txt` is a URL. */
export const exportFile = (form: ExportForm, rows: ReadonlyArray<ExportedRow>): Effect.Effect<ExportFile> =>
  Effect.map(bodyOf(form, rows), (body) => ({
    name: `proxies.${form.format}`,
    contentType: contentTypes[form.format],
    body
  }))
