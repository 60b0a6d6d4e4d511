import { type Faults, field } from "../../pages/Field.ts"
import { html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"
import { passwordField } from "./SecurityPage.ts"

/** A change that needs the password and a code. */
export interface Change {
  /** The page of the change, under the dashboard. */
  readonly name: string
  readonly title: Phrase
  readonly about: Phrase
  readonly button: Phrase
  readonly isDanger: boolean
}

/** Asks for the password and a code, before a change. */
export const proofPage = (visit: Visit, change: Change, faults: Faults = {}): Page => {
  const { form, pathTo } = visit
  const { about, button, isDanger, name, title } = change
  return deskPage(
    visit,
    { title, section: "security", back: [pathTo("security"), text("security.title")], lead: about, faults },
    html`<section class="card" aria-label="${title}">
      ${form(
        pathTo(name),
        html`${passwordField(faults)}
          ${field({
            name: "otp",
            label: text("code.code"),
            hint: text("code.hint"),
            autocomplete: "one-time-code",
            error: faults["otp"]
          })}
          <div><button class="${isDanger ? "danger" : "primary"}">${button}</button></div>`,
        { class: "stack" }
      )}
    </section>`
  )
}
