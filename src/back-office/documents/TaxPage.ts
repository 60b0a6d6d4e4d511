import { area, field, type Faults, hidden, type Option, select } from "../../pages/Field.ts"
import { date, moment, percent } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import type { Submission } from "../../pages/Submissions.ts"
import { table } from "../../pages/Table.ts"
import { countryCodes } from "../../platform/fields/Country.ts"
import { may } from "../../staff/Actor.ts"
import type { TaxNumberView, TaxRateView } from "../../staff/documents/TaxView.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"

type Rate = typeof TaxRateView.Type
type TaxNumber = typeof TaxNumberView.Type

interface Form {
  readonly key: string
  readonly faults?: Faults
  readonly typed?: Submission
}

const countries = countryCodes.toSorted().map((code): Option => [code, code])

const reasonArea = (faults: Faults, typed: Submission | undefined): Html =>
  area({
    name: "reason",
    label: text("admin.reason"),
    hint: text("admin.reason_hint"),
    rows: 2,
    value: typed?.field("reason"),
    error: faults["reason"]
  })

const rateForm = (visit: AdminVisit, { faults = {}, key, typed }: Form): Html => {
  const line = (name: string, label: Phrase, hint: Phrase, more: Partial<Parameters<typeof field>[0]> = {}) =>
    field({ name, label, hint, autocomplete: "off", value: typed?.field(name), error: faults[name], ...more })
  return html`<section class="card stack" aria-labelledby="record">
    <h2 id="record">${text("taxes.record_title")}</h2>
    ${visit.form(
      visit.pathTo("taxes"),
      html`<div class="stack">
        ${hidden("key", key)}
        ${select({ name: "country", label: text("billing.country"), options: countries, value: typed?.field("country"), error: faults["country"] })}
        ${line("rate", text("taxes.rate"), text("taxes.rate_hint"))}
        ${line("valid_from", text("taxes.valid_from"), text("taxes.valid_from_hint"), { type: "date" })}
        ${line("note", text("taxes.note"), text("taxes.note_hint"), { optional: true })} ${reasonArea(faults, typed)}
        <div><button class="primary">${text("taxes.record_button")}</button></div>
      </div>`
    )}
  </section>`
}

const rates = (items: ReadonlyArray<Rate>): Content =>
  table<Rate>(
    [
      { head: text("billing.country"), as: "name", cell: ({ country }) => country },
      {
        head: text("taxes.rate"),
        label: text("taxes.rate"),
        as: "number",
        cell: ({ rate_bp }) => percent(rate_bp / 10_000)
      },
      { head: text("taxes.valid_from"), label: text("taxes.valid_from"), cell: ({ valid_from }) => valid_from },
      {
        head: text("taxes.note"),
        label: text("taxes.note"),
        cell: ({ note }) => note !== null && html`<bdi>${note}</bdi>`
      },
      {
        head: text("admin.who"),
        label: text("admin.who"),
        cell: ({ recorded_at, recorded_by }) => html`${recorded_by} <small>${moment(recorded_at)}</small>`
      }
    ],
    items
  )

const state = ({ checked_at, checked_by, refused_at }: TaxNumber): Html => {
  if (refused_at !== null)
    return html`<span class="mark bad">${text("taxes.refused")}</span> <small>${date(refused_at)}</small>`
  return checked_at === null
    ? html`<span class="mark unknown">${text("taxes.unchecked")}</span>`
    : html`<span class="mark good">${text("taxes.checked")}</span>
        <small>${checked_by ?? ""}, ${date(checked_at)}</small>`
}

const numbers = ({ actor, pathTo }: AdminVisit, items: ReadonlyArray<TaxNumber>): Content =>
  table<TaxNumber>(
    [
      {
        head: text("customers.customer"),
        as: "name",
        cell: ({ name, user_id }) => html`<a href="${pathTo(`customers/${user_id}`)}"><bdi>${name}</bdi></a>`
      },
      { head: text("billing.country"), label: text("billing.country"), cell: ({ country }) => country },
      {
        head: text("taxes.number"),
        label: text("taxes.number"),
        cell: ({ tax_number }) => html`<bdi>${tax_number}</bdi>`
      },
      {
        head: text("admin.state"),
        label: text("admin.state"),
        cell: state
      },
      {
        head: html`<span class="hidden">${text("desk.actions")}</span>`,
        as: "go",
        cell: ({ user_id }) =>
          may(actor, "tax.change") &&
          html`<a class="button small" href="${pathTo(`customers/${user_id}/tax-number`)}"
            >${text("taxes.check_link")}</a
          >`
      }
    ],
    items
  )

interface Shown {
  readonly rates: ReadonlyArray<Rate>
  readonly numbers: ReadonlyArray<TaxNumber>
}

const told: Readonly<Record<string, Content>> = { recorded: text("taxes.recorded"), checked: text("taxes.now_checked") }

/** The tax rates with their history, and the tax numbers of businesses. */
export const taxPage = (visit: AdminVisit, shown: Shown, form: Form): Page => {
  const { faults = {} } = form
  return adminPage(
    visit,
    {
      title: text("taxes.title"),
      section: "documents",
      back: [visit.pathTo("documents"), text("documents.title")],
      lead: text("taxes.lead"),
      notice: told[visit.query.get("done") ?? ""],
      faults
    },
    html`<section class="card stack" aria-labelledby="rates">
        <h2 id="rates">${text("taxes.rates")}</h2>
        ${shown.rates.length === 0 ? html`<p>${text("taxes.none")}</p>` : rates(shown.rates)}
      </section>
      ${may(visit.actor, "tax.change") && rateForm(visit, form)}
      <section class="card stack" aria-labelledby="numbers">
        <h2 id="numbers">${text("taxes.numbers")}</h2>
        ${shown.numbers.length === 0 ? html`<p>${text("taxes.no_numbers")}</p>` : numbers(visit, shown.numbers)}
      </section>`
  )
}

const outcomes: ReadonlyArray<Option> = [
  ["yes", text("taxes.is_right")],
  ["no", text("taxes.is_wrong")]
]

/** The form that says whether a tax number is right. */
export const taxNumberPage = (visit: AdminVisit, shown: TaxNumber, { faults = {}, key, typed }: Form): Page =>
  adminPage(
    visit,
    {
      title: text("taxes.check_title"),
      section: "documents",
      back: [visit.pathTo("taxes"), text("taxes.title")],
      lead: text("taxes.check_about"),
      faults
    },
    html`<section class="card stack">
      <dl class="facts">
        <dt>${text("customers.customer")}</dt>
        <dd><bdi>${shown.name}</bdi></dd>
        <dt>${text("billing.country")}</dt>
        <dd>${shown.country}</dd>
        <dt>${text("taxes.number")}</dt>
        <dd><bdi>${shown.tax_number}</bdi></dd>
      </dl>
      ${visit.form(
        visit.pathTo(`customers/${shown.user_id}/tax-number`),
        html`<div class="stack">
          ${hidden("key", key)}${hidden("name", shown.name)}${hidden("country", shown.country)}
          ${hidden("tax_number", shown.tax_number)}
          ${select({ name: "is_right", label: text("taxes.outcome"), options: outcomes, value: typed?.field("is_right"), error: faults["is_right"] })}
          ${reasonArea(faults, typed)}
          <div><button class="primary">${text("taxes.check_button")}</button></div>
        </div>`
      )}
    </section>`
  )
