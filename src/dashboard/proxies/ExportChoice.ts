import { Data, Effect, Option, Schema } from "effect"
import { ExportFormat, type ExportForm } from "../../orders/exports/ExportFile.ts"
import { ExportTemplate } from "../../orders/exports/ExportTemplate.ts"
import { type Faults, field, select } from "../../pages/Field.ts"
import { type Html, html, text } from "../../pages/Html.ts"

/** The formats that a person chooses from. `own` is text with a template. */
export const FormatChoice = Schema.Literals([...ExportFormat.literals, "own"])

const decodeFormat = Schema.decodeUnknownOption(FormatChoice)
const decodeTemplate = Schema.decodeUnknownOption(ExportTemplate)

/** The template has an unknown placeholder, is empty, or is too long, or the format is not text. */
export class TemplateWrong extends Data.TaggedError("TemplateWrong")<{
  readonly status: 422
  readonly detail: string
  readonly field: "template"
}> {}

const templateWrong = (detail: string) => Effect.fail(new TemplateWrong({ status: 422, detail, field: "template" }))

/**
 * Reads the chosen format, by default text. A format of one's own needs a valid template. Text with a template is a format of
 * one's own too; any other format with a template is refused, so that no template is ignored.
 */
export const readExport = (
  format: string | null | undefined,
  template: string | null | undefined
): Effect.Effect<ExportForm, TemplateWrong> => {
  const chosen = Option.getOrElse(decodeFormat(format), () => "txt" as const)
  const isFilled = (template ?? "").trim() !== ""
  if (chosen !== "own" && !isFilled) return Effect.succeed({ format: chosen })
  if (chosen === "csv" || chosen === "json") return new TemplateUnused()
  return Option.match(decodeTemplate(template), {
    onNone: () => Effect.fail(new TemplateWrong()),
    onSome: (template) => Effect.succeed({ format: "txt", template } as const)
  })
}

interface Typed {
  readonly format?: string | undefined
  readonly template?: string | undefined
  readonly faults?: Faults
}

/** The fields that choose a format. */
export const exportFields = ({ faults = {}, format = "txt", template = "" }: Typed = {}): Html =>
  html`<div class="two">
    ${select({
      name: "format",
      label: text("proxy_list.format"),
      value: format,
      options: [
        ["txt", text("proxy_list.format_text")],
        ["csv", text("proxy_list.format_csv")],
        ["json", text("proxy_list.format_json")],
        ["own", text("proxy_list.format_own")]
      ]
    })}
    ${field({
      name: "template",
      label: text("proxy_list.template"),
      hint: text("proxy_list.template_hint"),
      optional: true,
      autocomplete: "off",
      value: template,
      error: faults["template"],
      more: html` placeholder="{host}:{port}:{username}:{password}"`
    })}
  </div>`
