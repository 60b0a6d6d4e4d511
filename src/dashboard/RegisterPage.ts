import { alert, field, hidden, titled } from "./Field.ts"
import { type Html, escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"
import type { Waiting } from "./WaitingApps.ts"

export interface Registering {
  readonly form_token: string
  readonly waiting: Waiting
  /** A text of the brand. */
  readonly text: ReadonlyArray<Html>
  readonly values: Readonly<Record<"email" | "name" | "referral_code", string | undefined>>
  /** The message of each invalid field. */
  readonly faults?: Readonly<Partial<Record<"email" | "password" | "name" | "referral_code", string>>>
  readonly problem?: string | undefined
}

export const registerPage = ({
  faults = {},
  form_token,
  problem,
  text,
  values,
  waiting: { app, signInPath }
}: Registering): Page =>
  page(
    titled("Create your account", problem !== undefined || Object.keys(faults).length > 0),
    escaped`<h1>Create your account</h1>
    ${alert(problem)}
    ${app === undefined ? "" : escaped`<p class="quiet">On the next page you decide if <bdi>${app}</bdi> may connect to it.</p>`}
    ${text}
    <form class="stack" method="post">
      ${hidden("form_token", form_token)}
      ${field({ name: "email", label: "Email", type: "email", autocomplete: "email", value: values.email, error: faults.email, autofocus: faults.password === undefined })}
      ${field({ name: "password", label: "Password", type: "password", autocomplete: "new-password", hint: "At least 8 characters", error: faults.password, minlength: 8, autofocus: faults.password !== undefined && faults.email === undefined })}
      ${field({ name: "name", label: "Name", autocomplete: "name", value: values.name, error: faults.name, optional: true })}
      ${field({ name: "referral_code", label: "Referral code", autocomplete: "off", value: values.referral_code, error: faults.referral_code, optional: true })}
      <button class="primary">Create account</button>
    </form>
    <p class="last quiet">Already have an account? <a href="${signInPath}">Sign in</a></p>`
  )
