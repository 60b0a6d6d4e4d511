import { alert, hidden, titled } from "./Field.ts"
import { type Html, escaped } from "./Html.ts"
import { page } from "./Layout.ts"

interface VerifyEmail {
  readonly form_token: string
  readonly problem?: string | undefined
}

/** The page of the link that `EmailTexts.emailVerification` mails. It asks first, because mail scanners open links too. */
export const verifyEmailPage = ({ form_token, problem }: VerifyEmail): Html =>
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

export const emailVerified = (homePath: string): Html =>
  page(
    "Email verified",
    escaped`<h1>Your email is verified</h1>
    <p><a href="${homePath}">Continue</a></p>`
  )

/** The page of a link that works no more. */
export const verificationEnded = (emailPath: string): Html =>
  page(
    "This link does not work",
    escaped`<h1>This link does not work</h1>
    <p>It was used, is older than 24 hours, or is not complete. After a change of your email, only the link to the new address works.</p>
    <p><a href="${emailPath}">See your email</a></p>`
  )
