import { alert, field, hidden, titled } from "./Field.ts"
import { escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"

interface ResetPassword {
  readonly form_token: string
  /** The fault of the new password. */
  readonly fault?: string | undefined
  readonly problem?: string | undefined
}

/** The page of the link in the mail `password_reset`. */
export const resetPasswordPage = ({ fault, form_token, problem }: ResetPassword): Page =>
  page(
    titled("Choose a new password", fault !== undefined || problem !== undefined),
    escaped`<h1>Choose a new password</h1>
    ${alert(problem)}
    <p class="quiet">This signs out all devices and disconnects all apps.</p>
    <form class="stack" method="post">
      ${hidden("form_token", form_token)}
      ${field({ name: "password", label: "New password", type: "password", autocomplete: "new-password", hint: "At least 8 characters", error: fault, minlength: 8, autofocus: true })}
      <button class="primary">Change password</button>
    </form>`
  )

export const passwordReset = (signInPath: string): Page =>
  page(
    "Password changed",
    escaped`<h1>Your password is changed</h1>
    <p role="status">All devices are signed out.</p>
    <p><a href="${signInPath}">Sign in</a> with the new password.</p>`
  )

/** The page of a link that works no more. */
export const resetLinkEnded = (forgotPath: string): Page =>
  page(
    "This link does not work",
    escaped`<h1>This link does not work</h1>
    <p>It was used, is older than one hour, or is not complete. Your password was not changed.</p>
    <p><a href="${forgotPath}">Get another link</a></p>`
  )
