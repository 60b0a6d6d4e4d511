import { field, type Faults } from "../../pages/Field.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

/** The form that changes the password. */
export const passwordPage = (visit: Visit, faults: Faults = {}): Page =>
  deskPage(
    visit,
    {
      title: text("account_password.title"),
      section: "security",
      lead: text("account_password.about"),
      back: [visit.pathTo("security"), text("security.title")],
      faults
    },
    html`<section class="card">
      ${visit.form(
        visit.pathTo("account/password"),
        html`${field({
            name: "current_password",
            label: text("account_password.current"),
            type: "password",
            autocomplete: "current-password",
            error: faults["current_password"]
          })}
          ${field({
            name: "new_password",
            label: text("form.new_password"),
            hint: text("form.password_hint"),
            type: "password",
            autocomplete: "new-password",
            minlength: 8,
            error: faults["new_password"]
          })}
          <div><button class="primary">${text("account_password.button")}</button></div>`,
        { class: "stack" }
      )}
    </section>`
  )
