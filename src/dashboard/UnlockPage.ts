import { alert, field, hidden, titled } from "./Field.ts"
import { type Html, escaped } from "./Html.ts"
import { page } from "./Layout.ts"

interface Unlock {
  readonly form_token: string
  readonly email?: string | undefined
  readonly problem?: string | undefined
}

export const unlockPage = ({ email, form_token, problem }: Unlock): Html =>
  page(
    titled("Get a link to sign in", problem !== undefined),
    escaped`<h1>Get a link to sign in</h1>
    ${alert(problem)}
    <p class="quiet">Wrong passwords, of yours or of somebody else, can lock sign-in for a while. With a link that we mail to you, you sign in all the same, with your password.</p>
    <form class="stack" method="post">
      ${hidden("form_token", form_token)}
      ${field({ name: "email", label: "Email", type: "email", autocomplete: "username", value: email, autofocus: true })}
      <button class="primary">Mail me a link</button>
    </form>`
  )

/** The answer is the same for an email without an account. */
export const unlockMailed: Html = page(
  "Look for our mail",
  escaped`<h1>Look for our mail</h1>
    <p>If there is an account with this email, a link is on its way. Open it in this browser, and sign in with your password within two hours.</p>`
)
