import type { Offer } from "../../accounts/passkeys/PasskeyProofs.ts"
import { alert, field, hidden, titled } from "../../pages/Field.ts"
import { type Html, type Phrase, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"
import { passkeyForm } from "./PasskeyForm.ts"
import type { Waiting } from "./WaitingApps.ts"

interface SignIn {
  /** A text of the brand. */
  readonly intro: ReadonlyArray<Html>
  readonly form_token: string
  readonly waiting: Waiting
  readonly forgotPath: string
  /** Absent when browsers have no passkeys for the address of the service. */
  readonly offer: Offer | undefined
  /** False when the browser offers passkeys only at their button. */
  readonly fills?: boolean
  readonly email?: string | undefined
  readonly problem?: Phrase | undefined
  /** The path of the page that mails a link to unlock signing in; absent when it is not locked. */
  readonly unlockPath?: string | undefined
}

export const signInPage = ({
  email,
  fills = true,
  forgotPath,
  form_token,
  intro,
  offer,
  problem,
  unlockPath,
  waiting: { app, registerPath }
}: SignIn): Page => ({
  usesPasskey: offer !== undefined,
  ...page(
    titled(app === undefined ? text("sign_in.title") : text("sign_in.title_for_app", { app }), problem !== undefined),
    html`<h1>
        ${app === undefined ? text("sign_in.title") : text("sign_in.title_for_app", { app: html`<bdi>${app}</bdi>` })}
      </h1>
      ${alert(problem)}
      ${unlockPath === undefined ? "" : html`<p>${text("sign_in.unlock", { link: html`<a href="${unlockPath}">${text("sign_in.unlock_link")}</a>` })}</p>`}
      <p class="quiet">${app === undefined ? text("sign_in.about") : text("sign_in.about_app")}</p>
      ${intro}
      <form class="stack" method="post">
        ${hidden("form_token", form_token)}
        ${field({ name: "email", label: text("form.email"), type: "email", autocomplete: offer === undefined ? "username" : "username webauthn", value: email, autofocus: email === undefined })}
        ${field({ name: "password", label: text("form.password"), type: "password", autocomplete: "current-password", autofocus: email !== undefined })}
        <button class="primary">${text("sign_in.button")}</button>
      </form>
      ${offer !== undefined && passkeyForm(offer, { form_token, button: text("passkey.sign_in_button"), fills })}
      <p class="last quiet"><a href="${forgotPath}">${text("sign_in.forgot_link")}</a></p>
      <p class="quiet">
        ${text("sign_in.no_account", { link: html`<a href="${registerPath}">${text("sign_in.register_link")}</a>` })}
      </p>`
  )
})
