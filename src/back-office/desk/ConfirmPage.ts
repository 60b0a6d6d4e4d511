import { type Faults, field, hidden } from "../../pages/Field.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { adminPage } from "./AdminPage.ts"
import type { AdminVisit } from "./AdminVisit.ts"

interface Waiting {
  readonly path: string
  /** The fields of the form that waits for the confirmation. */
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly faults?: Faults
}

/** Asks for password and code before a change of weight, and keeps the form of the change. */
export const confirmPage = (visit: AdminVisit, { faults = {}, fields, path }: Waiting): Page =>
  adminPage(
    visit,
    { title: text("admin.confirm_title"), section: "none", lead: text("admin.confirm_about"), faults },
    html`<section class="card stack">
      ${visit.form(
        path,
        html`${fields.map(([name, value]) => hidden(name, value))}
          <div class="stack">
            ${field({ name: "confirm_password", label: text("admin.confirm_password"), type: "password", autocomplete: "current-password", autofocus: true, error: faults["confirm_password"] })}
            ${field({ name: "confirm_code", label: text("admin.confirm_code"), autocomplete: "one-time-code", error: faults["confirm_code"] })}
            <div><button class="primary">${text("admin.confirm_button")}</button></div>
          </div>`
      )}
    </section>`
  )
