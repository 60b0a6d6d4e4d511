import { field, type Faults } from "../../pages/Field.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

/** The form that downloads everything about the account. It asks for the password, as the file holds the logins of proxies. */
export const exportPage = (visit: Visit, faults: Faults = {}): Page =>
  deskPage(
    visit,
    {
      title: text("account_export.title"),
      section: "account",
      back: [visit.pathTo("account"), text("account.title")],
      faults
    },
    html`<section class="card stack">
      <p>${text("account_export.about")}</p>
      <p>${text("account_export.keep")}</p>
      ${visit.form(
        visit.pathTo("account/export"),
        html`${field({
            name: "password",
            label: text("form.password"),
            type: "password",
            autocomplete: "current-password",
            error: faults["password"]
          })}
          <div><button class="primary" data-file>${text("account_export.button")}</button></div>`,
        { class: "stack" }
      )}
    </section>`
  )
