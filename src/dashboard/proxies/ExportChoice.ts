import { Data, Effect, Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { ExportFormat, type ExportForm } from "../../orders/exports/ExportFile.ts"
import { ExportTemplate } from "../../orders/exports/ExportTemplate.ts"
import { type Faults, field, select } from "../../pages/Field.ts"
import { type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { makeAnswer } from "../../pages/PageAnswer.ts"
import { type Failure, faultsOf } from "../../pages/FormFaults.ts"
import type { Visit } from "../desk/Visit.ts"

/** The formats that a person chooses from. `own` is text with a template. */
export const FormatChoice = Schema.Literals([...ExportFormat.literals, "own"])

const decodeFormat = Schema.decodeUnknownOption(FormatChoice)
const decodeTemplate = Schema.decodeUnknownOption(ExportTemplate)

/** What is wrong with the field of the template. */
interface Wrong {
  readonly status: 422
  readonly detail: string
  readonly field: "template"
}

const wrong = (detail: string): Wrong => ({ status: 422, detail, field: "template" })

/** The template has an unknown placeholder, is empty, or is too long. */
class TemplateWrong extends Data.TaggedError("TemplateWrong")<Wrong> {}

/** The format is not text, so it has no template. */
class TemplateUnused extends Data.TaggedError("TemplateUnused")<Wrong> {}

/**
 * Reads the chosen format, by default text. Text with a template is a format of one's own. No template that a person typed is
 * ignored: other formats with one are refused.
 */
export const readExport = (
  format: string | null | undefined,
  template: string | null | undefined
): Effect.Effect<ExportForm, TemplateWrong | TemplateUnused> => {
  const chosen = Option.getOrElse(decodeFormat(format), () => "txt" as const)
  const isTyped = (template ?? "").trim() !== ""
  if (chosen !== "own" && !isTyped) return Effect.succeed({ format: chosen })
  if (chosen === "csv" || chosen === "json")
    return Effect.fail(new TemplateUnused(wrong("Only the text format has a template")))
  return Option.match(decodeTemplate(template), {
    onNone: () => Effect.fail(new TemplateWrong(wrong("The template is not valid"))),
    onSome: (template) => Effect.succeed({ format: "txt", template } as const)
  })
}

/** What a person typed in the fields of an export, and what is wrong with it. */
export interface TypedExport {
  readonly format?: string | undefined
  readonly template?: string | undefined
  readonly faults?: Faults
}

/** Runs an export that the query describes. A wrong choice shows the page of its form again, with what was typed. */
export const makeExporting = Effect.map(
  makeAnswer,
  (answer) =>
    <E extends Failure, R, E2 extends Failure, R2>(
      { query }: Visit,
      save: (form: ExportForm) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
      again: (typed: TypedExport) => Effect.Effect<Page, E2, R2>
    ) => {
      const [format, template] = [query.get("format") ?? undefined, query.get("template") ?? undefined]
      return Effect.matchEffect(readExport(format, template), {
        onSuccess: save,
        onFailure: (failure) =>
          Effect.flatMap(again({ format, template, faults: faultsOf(failure) }), (page) => answer(failure.status, page))
      })
    }
)

/** The fields that choose a format. */
export const exportFields = ({ faults = {}, format = "txt", template = "" }: TypedExport = {}): Html =>
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
