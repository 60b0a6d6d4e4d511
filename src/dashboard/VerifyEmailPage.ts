import { alert, hidden, titled } from "./Field.ts"
import { escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"

interface VerifyEmail {
  readonly form_token: string
  readonly problem?: string | undefined
}

/** The page of the link in the mail `email_verification`. It asks first, because mail scanners open links too. */
export const verifyEmailPage = ({ form_token, problem }: VerifyEmail): Page =>
  page(
    titled("Verify your email", problem !== undefined),
    escaped`<h1>Verify your email</h1>
    ${alert(problem)}
    <p class="quiet">Did you register with us, or change your email? If not, close this page.</p>
    <form class="stack" method="post">
      ${hidden("form_token", form_token)}
      <button class="primary">Verify email</button>
    </form>`
  )

export const emailVerified = (homePath: string): Page =>
  page(
    "Email verified",
    escaped`<h1>Your email is verified</h1>
    <p><a href="${homePath}">Continue</a></p>`
  )

/** The page of a link that works no more. */
export const verificationEnded = (emailPath: string): Page =>
  page(
    "This link does not work",
    escaped`<h1>This link does not work</h1>
    <p>It was used, is older than 24 hours, or is not complete. After a change of your email, only the link to the new address works.</p>
    <p><a href="${emailPath}">See your email</a></p>`
  )
