import { alert, field, hidden, titled } from "./Field.ts"
import { escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"

export interface Claiming {
  readonly form_token: string
  readonly claim_token?: string | undefined
  readonly email?: string | undefined
  readonly faults?: Readonly<Partial<Record<"claim_token" | "email" | "password", string>>>
  readonly problem?: string | undefined
}

/** The form in which a person claims the account that an agent registered (docs/contract.md, "Agents"). */
export const claimPage = ({ claim_token, email, faults = {}, form_token, problem }: Claiming): Page =>
  page(
    titled("Claim your agent", problem !== undefined || Object.keys(faults).length > 0),
    escaped`<h1>Claim your agent’s account</h1>
    ${alert(problem)}
    <p class="quiet">Your agent registered an account and gave you a claim token. Choose an email and a password to make
      the account yours. The agent can then read your profile, orders and wallet.</p>
    <form class="stack" method="post">
      ${hidden("form_token", form_token)}
      ${field({ name: "claim_token", label: "Claim token", autocomplete: "off", hint: "It begins with clm_", value: claim_token, error: faults.claim_token, autofocus: true })}
      ${field({ name: "email", label: "Email", type: "email", autocomplete: "email", value: email, error: faults.email })}
      ${field({ name: "password", label: "Password", type: "password", autocomplete: "new-password", hint: "At least 8 characters", error: faults.password, minlength: 8 })}
      <button class="primary">Claim account</button>
    </form>`
  )

export const claimed = (email: string, signInPath: string): Page =>
  page(
    "Account claimed",
    escaped`<h1>The account is yours</h1>
    <p role="status">We sent a mail to ${email}. Open its link to verify the address. Your agent keeps its key.</p>
    <p><a href="${signInPath}">Sign in</a></p>`
  )
