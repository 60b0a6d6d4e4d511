import { alert, field, hidden, titled } from "../../pages/Field.ts"
import { type Html, type Phrase, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"

interface EmailOfAccount {
  /** Null for an account without an email. */
  readonly email: string | null
  readonly isVerified: boolean
  /** The path that mails the link of the verification again. */
  readonly resendPath: string
  readonly backPath: string
  readonly tokens: { readonly change: string; readonly resend: string }
  readonly typed?: string | undefined
  readonly faults?: Readonly<Partial<Record<"email" | "password", Phrase>>>
  readonly notice?: Phrase | undefined
  readonly problem?: Phrase | undefined
}

const state = ({ email, isVerified, resendPath, tokens }: EmailOfAccount): Html => {
  if (email === null) return html`<p>${text("email.none")}</p>`
  if (isVerified) return html`<p><bdi>${email}</bdi> <span class="mark good">${text("email.verified")}</span></p>`
  return html`<p><bdi>${email}</bdi> <span class="mark unknown">${text("email.unverified")}</span></p>
    <form method="post" action="${resendPath}">
      ${hidden("form_token", tokens.resend)}
      <button class="small">${text("email.resend_button")}</button>
    </form>`
}

/** The email of an account, and the form that changes it. A verified email is changed only with the password. */
export const emailPage = (account: EmailOfAccount): Page => {
  const { backPath, email, faults = {}, isVerified, notice, problem, tokens, typed } = account
  const isWrong = problem !== undefined || Object.keys(faults).length > 0
  return page(
    titled(text("email.title"), isWrong),
    html`<h1>${text("email.title")}</h1>
      ${alert(problem)} ${notice === undefined ? "" : html`<p class="done" role="status">${notice}</p>`}
      ${state(account)}
      <form class="stack" method="post">
        ${hidden("form_token", tokens.change)}
        ${field({ name: "email", label: email === null ? text("form.email") : text("email.new"), type: "email", autocomplete: "email", value: typed, error: faults.email })}
        ${isVerified ? field({ name: "password", label: text("form.password"), type: "password", autocomplete: "current-password", error: faults.password }) : ""}
        <p class="quiet">${text("email.about")}</p>
        <button class="primary">${email === null ? text("email.add_button") : text("email.change_button")}</button>
      </form>
      <p class="last"><a href="${backPath}">${text("email.back_link")}</a></p>`
  )
}
