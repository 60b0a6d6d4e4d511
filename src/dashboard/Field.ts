import { type Content, type Html, type Phrase, escaped, text } from "./Html.ts"

interface Field {
  readonly name: string
  readonly label: Phrase
  readonly type?: "text" | "email" | "password"
  readonly autocomplete: string
  readonly value?: string | undefined
  readonly hint?: Phrase
  readonly error?: Phrase | undefined
  readonly optional?: boolean
  readonly autofocus?: boolean
  /** There is no maximum: browsers would shorten a long password silently. */
  readonly minlength?: number
}

/** Limit of the characters that a page shows of a rejected value: longer than any text that a form accepts. */
const mostCharacters = 300

/** A text field with a label. Screen readers read its hint and its error with it. */
export const field = (field: Field): Html => {
  const {
    autocomplete,
    autofocus = false,
    error,
    hint,
    label,
    minlength,
    name,
    optional = false,
    type = "text"
  } = field
  const describedBy = [
    ...(hint === undefined ? [] : [`${name}-hint`]),
    ...(error === undefined ? [] : [`${name}-error`])
  ]
  return escaped`<div class="field">
    <label for="${name}">${label}${optional ? escaped` <span class="quiet">${text("form.optional")}</span>` : ""}</label>
    <input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${(field.value ?? "").slice(0, mostCharacters)}"${[
      ...(optional ? [] : [escaped` required`]),
      ...(minlength === undefined ? [] : [escaped` minlength="${minlength}"`]),
      ...(type === "text" ? [] : [escaped` autocapitalize="none" spellcheck="false"`]),
      ...(describedBy.length === 0 ? [] : [escaped` aria-describedby="${describedBy.join(" ")}"`]),
      ...(error === undefined ? [] : [escaped` aria-invalid="true"`]),
      ...(autofocus ? [escaped` autofocus`] : [])
    ]}>
    ${hint === undefined ? "" : escaped`<p class="quiet" id="${name}-hint">${hint}</p>`}
    ${error === undefined ? "" : escaped`<p class="error" id="${name}-error">${error}</p>`}
  </div>`
}

export const hidden = (name: string, value: string): Html =>
  escaped`<input type="hidden" name="${name}" value="${value}">`

/** A problem with the whole form. */
export const alert = (problem: Phrase | undefined): Html =>
  problem === undefined ? escaped`` : escaped`<p class="alert" role="alert">${problem}</p>`

/** The title of a form's page. It begins with "Error" when the form has a fault. */
export const titled = (title: Content, isWrong: boolean): Content =>
  isWrong ? text("form.error_title", { title }) : title
