import { type Content, type Html, html, text } from "./Html.ts"

/** What is wrong with each field, by its name. `""` is the form as a whole. */
export type Faults = Readonly<Record<string, Content>>

interface Labelled {
  readonly name: string
  readonly label: Content
  readonly hint?: Content
  readonly error?: Content
  readonly optional?: boolean
}

interface Field extends Labelled {
  readonly type?: "text" | "email" | "password" | "search" | "number" | "date" | "datetime-local"
  readonly autocomplete: string
  readonly value?: string | undefined
  readonly autofocus?: boolean
  /** There is no maximum: browsers would shorten a long password silently. */
  readonly minlength?: number
  /** More attributes, each after a space. */
  readonly more?: Content
}

/** Limit of the characters that a page shows of a value: the longest line that a form accepts, which is a URL. */
const mostCharacters = 2_048

/** The same for a text of several lines. */
const mostInArea = 8_000

const described = ({ error, hint, name }: Labelled): Content => {
  const ids = [hint === undefined ? "" : `${name}-hint`, error === undefined ? "" : `${name}-error`].filter(Boolean)
  return [
    ids.length > 0 && html` aria-describedby="${ids.join(" ")}"`,
    error !== undefined && html` aria-invalid="true"`
  ]
}

const labelOf = ({ label, optional = false }: Labelled): Content => [
  label,
  optional && html` <span class="quiet">${text("form.optional")}</span>`
]

const hintOf = ({ hint, name }: Labelled): Content =>
  hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`

const errorOf = ({ error, name }: Labelled): Content =>
  error !== undefined && html`<p class="error" id="${name}-error">${error}</p>`

const around = (field: Labelled, control: Html): Html =>
  html`<div class="field">
    <label for="${field.name}">${labelOf(field)}</label>
    ${control} ${hintOf(field)} ${errorOf(field)}
  </div>`

/** A field of one line. Screen readers read its hint and its error with it. */
export const field = (field: Field): Html => {
  const { autocomplete, autofocus = false, minlength, more, name, optional = false, type = "text", value = "" } = field
  return around(
    field,
    html`<input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      value="${value.slice(0, mostCharacters)}"
      ${[
        !optional && html` required`,
        minlength !== undefined && html` minlength="${minlength}"`,
        (type === "email" || type === "password") && html` autocapitalize="none" spellcheck="false"`,
        described(field),
        autofocus && html` autofocus`,
        more
      ]}
    />`
  )
}

interface Area extends Labelled {
  readonly value?: string | undefined
  readonly rows?: number
  /** Limit of the characters that the page shows of the value. */
  readonly longest?: number
}

/** A field of several lines. */
export const area = (field: Area): Html =>
  around(
    field,
    // HTML drops the first line break of a text area.
    html`<textarea
      id="${field.name}"
      name="${field.name}"
      rows="${field.rows ?? 3}"
      spellcheck="false"
      ${described(field)}
    >
${(field.value ?? "").slice(0, field.longest ?? mostInArea)}</textarea>`
  )

/** An entry of a list: its value, and what a person reads. */
export type Option = readonly [value: string, label: Content]

interface Select extends Labelled {
  readonly options: ReadonlyArray<Option>
  readonly value?: string | undefined
  /** A script sends the form as soon as another entry is chosen. */
  readonly submits?: boolean
}

export const select = (field: Select): Html =>
  around(
    field,
    html`<select
      id="${field.name}"
      name="${field.name}"
      ${described(field)}${field.submits === true && html` data-submit`}
    >
      ${field.options.map(
        ([value, label]) => html`<option value="${value}" ${value === field.value && html` selected`}>${label}</option>`
      )}
    </select>`
  )

interface Choice {
  readonly value: string
  readonly title: Content
  readonly detail?: Content
  readonly aside?: Content
  readonly disabled?: boolean
}

interface Choices extends Labelled {
  /** One of several (`radio`), or some of them (`checkbox`). */
  readonly type: "radio" | "checkbox"
  readonly options: ReadonlyArray<Choice>
  readonly chosen: ReadonlyArray<string>
  readonly submits?: boolean
}

/** Choices that stand side by side, each with its explanation. */
export const choices = (field: Choices): Html => {
  const { chosen, name, options, submits = false, type } = field
  const choice = ({ aside, detail, disabled = false, title, value }: Choice) =>
    html`<label class="choice"
      ><input
        type="${type}"
        name="${name}"
        value="${value}"
        ${[chosen.includes(value) && html` checked`, disabled && html` disabled`, submits && html` data-submit`]}
      /><span><b>${title}</b>${detail !== undefined && html`<small>${detail}</small>`}</span
      >${aside !== undefined && html`<span class="aside">${aside}</span>`}</label
    >`
  return html`<fieldset class="choices" id="${name}" ${described(field)}>
    <legend>${labelOf(field)}</legend>
    ${hintOf(field)} ${errorOf(field)} ${options.map(choice)}
  </fieldset>`
}

export const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`

/** A problem with the whole form. */
export const alert = (problem: Content): Html =>
  problem === undefined ? html`` : html`<p class="alert" role="alert">${problem}</p>`

/** All faults of a form, each with a link to its field. */
export const summary = (faults: Faults): Content => {
  const entries = Object.entries(faults)
  return (
    entries.length > 0 &&
    html`<div class="alert" role="alert" tabindex="-1" autofocus>
      <h2>${text("desk.problem")}</h2>
      <ul>
        ${entries.map(([name, fault]) => html`<li>${name === "" ? fault : html`<a href="#${name}">${fault}</a>`}</li>`)}
      </ul>
    </div>`
  )
}

/** The title of a form's page. It begins with "Error" when the form has a fault. */
export const titled = (title: Content, isWrong: boolean): Content =>
  isWrong ? text("form.error_title", { title }) : title
