import { alert, field, hidden, titled } from "../../pages/Field.ts"
import { type Html, type Phrase, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"
import type { Waiting } from "./WaitingApps.ts"

export interface Registering {
  readonly form_token: string
  readonly waiting: Waiting
  /** A text of the brand. */
  readonly intro: ReadonlyArray<Html>
  readonly values: Readonly<Record<"email" | "name" | "referral_code", string | undefined>>
  /** The message of each invalid field. */
  readonly faults?: Readonly<Partial<Record<"email" | "password" | "name" | "referral_code", Phrase>>>
  readonly problem?: Phrase | undefined
}

export const registerPage = ({
  faults = {},
  form_token,
  problem,
  intro,
  values,
  waiting: { app, signInPath }
}: Registering): Page =>
  page(
    titled(text("register.title"), problem !== undefined || Object.keys(faults).length > 0),
    html`<h1>${text("register.title")}</h1>
      ${alert(problem)}
      ${app === undefined ? "" : html`<p class="quiet">${text("register.about_app", { app: html`<bdi>${app}</bdi>` })}</p>`}
      ${intro}
      <form class="stack" method="post">
        ${hidden("form_token", form_token)}
        ${field({ name: "email", label: text("form.email"), type: "email", autocomplete: "email", value: values.email, error: faults.email, autofocus: faults.password === undefined })}
        ${field({ name: "password", label: text("form.password"), type: "password", autocomplete: "new-password", hint: text("form.password_hint"), error: faults.password, minlength: 8, autofocus: faults.password !== undefined && faults.email === undefined })}
        ${field({ name: "name", label: text("register.name"), autocomplete: "name", value: values.name, error: faults.name, optional: true })}
        ${field({ name: "referral_code", label: text("register.referral_code"), autocomplete: "off", value: values.referral_code, error: faults.referral_code, optional: true })}
        <button class="primary">${text("register.button")}</button>
      </form>
      <p class="last quiet">
        ${text("register.have_account", { link: html`<a href="${signInPath}">${text("page.sign_in")}</a>` })}
      </p>`
  )
