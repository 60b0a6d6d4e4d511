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
    <p class="quiet">Too many wrong passwords, yours or another person's, lock signing in for a while. We can mail you a link that lets you sign in with your password now.</p>
    <form class="stack" method="post">
      ${hidden("form_token", form_token)}
      ${field({ name: "email", label: "Email", type: "email", autocomplete: "username", value: email, autofocus: true })}
      <button class="primary">Mail me a link</button>
    </form>`
  )

/** The page is the same for an email without an account. */
export const unlockMailed: Html = page(
  "Look for our mail",
  escaped`<h1>Look for our mail</h1>
    <p>If there is an account with this email, we sent a link to it. Open the link in this browser within two hours, and sign in with your password.</p>`
)
