import { countryCodes } from "../../platform/fields/Country.ts"
import { area, field, type Faults, type Option, select } from "../../pages/Field.ts"
import { country } from "../../pages/Format.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

interface Billing {
  /** The text of a field. */
  readonly typed: (name: "name" | "address" | "kind" | "country" | "tax_number") => string | undefined
  readonly notice?: Content
  readonly faults?: Faults
}

const kinds: ReadonlyArray<Option> = [
  ["private", text("billing.private")],
  ["business", text("billing.business")]
]

const countries: ReadonlyArray<Option> = [
  ["", text("billing.country_none")],
  ...countryCodes.toSorted().map((code): Option => [code, html`${code} ${country(code)}`])
]

/** The form for the buyer on the next invoices. */
export const billingPage = (visit: Visit, { faults = {}, notice, typed }: Billing): Page =>
  deskPage(
    visit,
    {
      title: text("billing.title"),
      section: "wallet",
      back: [visit.pathTo("wallet/invoices"), text("invoices.title")],
      lead: text("billing.about"),
      notice,
      faults
    },
    html`<section class="card" aria-label="${text("billing.title")}">
      ${visit.form(
        visit.pathTo("wallet/billing"),
        html`${select({ name: "kind", label: text("billing.kind"), options: kinds, value: typed("kind") })}
          ${field({
            name: "name",
            label: text("billing.name"),
            optional: true,
            autocomplete: "billing organization",
            value: typed("name"),
            error: faults["name"]
          })}
          ${area({
            name: "address",
            label: text("billing.address"),
            hint: text("billing.address_hint"),
            optional: true,
            rows: 5,
            value: typed("address"),
            error: faults["address"]
          })}
          ${select({
            name: "country",
            label: text("billing.country"),
            options: countries,
            value: typed("country"),
            error: faults["country"]
          })}
          ${field({
            name: "tax_number",
            label: text("billing.tax_number"),
            hint: text("billing.tax_number_hint"),
            optional: true,
            autocomplete: "off",
            value: typed("tax_number"),
            error: faults["tax_number"]
          })}
          <div><button class="primary">${text("billing.button")}</button></div>`,
        { class: "stack" }
      )}
    </section>`
  )
