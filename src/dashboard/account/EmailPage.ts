import { field, type Faults } from "../../pages/Field.ts"
import { type Html, type Phrase, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"
import { emailState } from "./EmailState.ts"

interface EmailForm {
  readonly typed?: string | undefined
  readonly faults?: Faults
  readonly notice?: Phrase | undefined
}

const state = ({ form, pathTo, user }: Visit): Html =>
  html`<p>${emailState(user)}</p>
    ${
      user.email !== null &&
      !user.email_verified &&
      html`<p>${text("email.verify_about")}</p>
        ${form(pathTo("email/resend"), html`<button class="small">${text("email.resend_button")}</button>`)}`
    }`

const change = ({ form, pathTo, user }: Visit, { faults = {}, typed }: EmailForm): Html => {
  const [label, button] =
    user.email === null
      ? [text("form.email"), text("email.add_button")]
      : [text("email.new"), text("email.change_button")]
  return form(
    pathTo("email"),
    html`${field({ name: "email", label, type: "email", autocomplete: "email", value: typed, error: faults["email"] })}
      ${
        user.email_verified &&
        field({
          name: "password",
          label: text("form.password"),
          type: "password",
          autocomplete: "current-password",
          error: faults["password"]
        })
      }
      <p class="quiet">${text("email.about")}</p>
      <div><button class="primary">${button}</button></div>`,
    { class: "stack" }
  )
}

/** The email of an account, and the form that changes it. A verified email is changed only with the password. */
export const emailPage = (visit: Visit, email: EmailForm): Page =>
  deskPage(
    visit,
    {
      title: text("email.title"),
      section: "account",
      back: [visit.pathTo("account"), text("account.title")],
      notice: email.notice,
      ...(email.faults !== undefined && { faults: email.faults })
    },
    html`<section class="card stack">${state(visit)} ${change(visit, email)}</section>`
  )
