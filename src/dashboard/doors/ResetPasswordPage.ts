import { alert, field, hidden, titled } from "../../pages/Field.ts"
import { type Phrase, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"

interface ResetPassword {
  readonly form_token: string
  /** The fault of the new password. */
  readonly fault?: Phrase | undefined
  readonly problem?: Phrase | undefined
}

/** The page of the link in the mail `password_reset`. */
export const resetPasswordPage = ({ fault, form_token, problem }: ResetPassword): Page =>
  page(
    titled(text("reset_password.title"), fault !== undefined || problem !== undefined),
    html`<h1>${text("reset_password.title")}</h1>
      ${alert(problem)}
      <p class="quiet">${text("reset_password.about")}</p>
      <form class="stack" method="post">
        ${hidden("form_token", form_token)}
        ${field({ name: "password", label: text("form.new_password"), type: "password", autocomplete: "new-password", hint: text("form.password_hint"), error: fault, minlength: 8, autofocus: true })}
        <button class="primary">${text("reset_password.button")}</button>
      </form>`
  )

export const passwordReset = (signInPath: string): Page =>
  page(
    text("reset_password.done_title"),
    html`<h1>${text("reset_password.done")}</h1>
      <p role="status">${text("reset_password.signed_out")}</p>
      <p>${text("reset_password.sign_in", { link: html`<a href="${signInPath}">${text("page.sign_in")}</a>` })}</p>`
  )

/** The page of a link that works no more. */
export const resetLinkEnded = (forgotPath: string): Page =>
  page(
    text("reset_password.link_ended"),
    html`<h1>${text("reset_password.link_ended")}</h1>
      <p>${text("reset_password.link_reasons")}</p>
      <p><a href="${forgotPath}">${text("reset_password.again_link")}</a></p>`
  )
