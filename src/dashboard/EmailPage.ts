import { alert, field, hidden, titled } from "./Field.ts"
import { type Html, escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"

interface EmailOfAccount {
  /** Null for an account without an email. */
  readonly email: string | null
  readonly isVerified: boolean
  /** The path that mails the link of the verification again. */
  readonly resendPath: string
  readonly backPath: string
  readonly tokens: { readonly change: string; readonly resend: string }
  readonly typed?: string | undefined
  readonly faults?: Readonly<Partial<Record<"email" | "password", string>>>
  readonly notice?: string | undefined
  readonly problem?: string | undefined
}

const state = ({ email, isVerified, resendPath, tokens }: EmailOfAccount): Html => {
  if (email === null) return escaped`<p>Your account has no email.</p>`
  if (isVerified) return escaped`<p><bdi>${email}</bdi> <span class="mark good">Verified</span></p>`
  return escaped`<p><bdi>${email}</bdi> <span class="mark unknown">Not verified</span></p>
    <form method="post" action="${resendPath}">
      ${hidden("form_token", tokens.resend)}
      <button class="small">Mail me the link again</button>
    </form>`
}

/** The email of an account, and the form that changes it. A verified email is changed only with the password. */
export const emailPage = (account: EmailOfAccount): Page => {
  const { backPath, email, faults = {}, isVerified, notice, problem, tokens, typed } = account
  const isWrong = problem !== undefined || Object.keys(faults).length > 0
  return page(
    titled("Your email", isWrong),
    escaped`<h1>Your email</h1>
    ${alert(problem)}
    ${notice === undefined ? "" : escaped`<p class="done" role="status">${notice}</p>`}
    ${state(account)}
    <form class="stack" method="post">
      ${hidden("form_token", tokens.change)}
      ${field({ name: "email", label: email === null ? "Email" : "New email", type: "email", autocomplete: "email", value: typed, error: faults.email })}
      ${isVerified ? field({ name: "password", label: "Password", type: "password", autocomplete: "current-password", error: faults.password }) : ""}
      <p class="quiet">We mail a link to the new address. Until you open it, the address is not verified.</p>
      <button class="primary">${email === null ? "Add email" : "Change email"}</button>
    </form>
    <p class="last"><a href="${backPath}">Back</a></p>`
  )
}
