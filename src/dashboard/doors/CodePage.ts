import type { Offer } from "../../accounts/passkeys/PasskeyProofs.ts"
import { alert, field, hidden, titled } from "../../pages/Field.ts"
import { type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"
import { passkeyForm } from "./PasskeyForm.ts"

interface Code {
  readonly form_token: string
  /** The name of the app whose request waits. */
  readonly app: string | undefined
  readonly signInPath: string
  /** Absent when the account has no passkey. */
  readonly offer: Offer | undefined
  /** Links to the support of the brand. */
  readonly support: ReadonlyArray<Html>
  readonly problem?: Phrase | undefined
}

/** Asks for the code of the authenticator app, or for a recovery code. */
export const codePage = ({ app, form_token, offer, problem, signInPath, support: [support] }: Code): Page => ({
  usesPasskey: offer !== undefined,
  ...page(
    titled(text("code.title"), problem !== undefined),
    html`<h1>${text("code.title")}</h1>
      ${alert(problem)}
      <p class="quiet">
        ${app === undefined ? text("code.about") : text("code.about_app", { app: html`<bdi>${app}</bdi>` })}
      </p>
      <form class="stack" method="post">
        ${hidden("form_token", form_token)}
        ${field({ name: "otp", label: text("code.code"), hint: text("code.hint"), autocomplete: "one-time-code", autofocus: true })}
        <button class="primary">${text("code.button")}</button>
      </form>
      ${offer !== undefined && passkeyForm(offer, { form_token, button: text("passkey.second_button") })}
      <p class="last quiet">
        ${support === undefined ? text("code.lost") : text("code.lost_support", { link: support })}
      </p>
      <p class="quiet"><a href="${signInPath}">${text("code.other_link")}</a></p>`
  )
})

/** The sign-in took too long, or another request completed or ended it. */
export const signInEnded = (signInPath: string): Page =>
  page(
    text("code.ended_title"),
    html`<h1>${text("code.ended_title")}</h1>
      <p>${text("code.ended")}</p>
      <p><a class="button primary" href="${signInPath}">${text("page.sign_in")}</a></p>`
  )
