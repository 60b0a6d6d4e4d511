import { area, field, type Faults } from "../../pages/Field.ts"
import { type Content, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

interface Billing {
  /** The texts of the fields. */
  readonly name: string
  readonly address: string
  readonly notice?: Content
  readonly faults?: Faults
}

/** The form for the name and address on the next invoices. */
export const billingPage = (visit: Visit, { address, faults = {}, name, notice }: Billing): Page =>
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
        html`${field({
            name: "name",
            label: text("billing.name"),
            optional: true,
            autocomplete: "billing organization",
            value: name,
            error: faults["name"]
          })}
          ${area({
            name: "address",
            label: text("billing.address"),
            hint: text("billing.address_hint"),
            optional: true,
            rows: 5,
            value: address,
            error: faults["address"]
          })}
          <div><button class="primary">${text("billing.button")}</button></div>`,
        { class: "stack" }
      )}
    </section>`
  )
