import { alert, field, hidden, titled } from "../../pages/Field.ts"
import { type Phrase, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"

export interface Claiming {
  readonly form_token: string
  readonly claim_token?: string | undefined
  readonly email?: string | undefined
  readonly faults?: Readonly<Partial<Record<"claim_token" | "email" | "password", Phrase>>>
  readonly problem?: Phrase | undefined
}

/** The form in which a person claims the account that an agent registered (docs/contract.md, "Agents"). */
export const claimPage = ({ claim_token, email, faults = {}, form_token, problem }: Claiming): Page =>
  page(
    titled(text("claim.title"), problem !== undefined || Object.keys(faults).length > 0),
    html`<h1>${text("claim.heading")}</h1>
      ${alert(problem)}
      <p class="quiet">${text("claim.about")}</p>
      <form class="stack" method="post">
        ${hidden("form_token", form_token)}
        ${field({ name: "claim_token", label: text("claim.token"), autocomplete: "off", hint: text("claim.token_hint"), value: claim_token, error: faults.claim_token, autofocus: true })}
        ${field({ name: "email", label: text("form.email"), type: "email", autocomplete: "email", value: email, error: faults.email })}
        ${field({ name: "password", label: text("form.password"), type: "password", autocomplete: "new-password", hint: text("form.password_hint"), error: faults.password, minlength: 8 })}
        <button class="primary">${text("claim.button")}</button>
      </form>`
  )

export const claimed = (email: string, signInPath: string): Page =>
  page(
    text("claim.done_title"),
    html`<h1>${text("claim.done")}</h1>
      <p role="status">${text("claim.mailed", { email })}</p>
      <p><a href="${signInPath}">${text("page.sign_in")}</a></p>`
  )
