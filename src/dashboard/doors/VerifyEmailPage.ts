import { alert, hidden, titled } from "../../pages/Field.ts"
import { type Phrase, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"

interface VerifyEmail {
  readonly form_token: string
  readonly problem?: Phrase | undefined
}

/** The page of the link in the mail `email_verification`. It asks first, because mail scanners open links too. */
export const verifyEmailPage = ({ form_token, problem }: VerifyEmail): Page =>
  page(
    titled(text("verify_email.title"), problem !== undefined),
    html`<h1>${text("verify_email.title")}</h1>
      ${alert(problem)}
      <p class="quiet">${text("verify_email.about")}</p>
      <form class="stack" method="post">
        ${hidden("form_token", form_token)}
        <button class="primary">${text("verify_email.button")}</button>
      </form>`
  )

export const emailVerified = (homePath: string): Page =>
  page(
    text("verify_email.done_title"),
    html`<h1>${text("verify_email.done")}</h1>
      <p role="status">${text("verify_email.done_about")}</p>
      <p><a class="button primary" href="${homePath}">${text("verify_email.continue_link")}</a></p>`
  )

/** The page of a link that works no more. */
export const verificationEnded = (emailPath: string): Page =>
  page(
    text("verify_email.link_ended"),
    html`<h1>${text("verify_email.link_ended")}</h1>
      <p>${text("verify_email.link_reasons")}</p>
      <p><a href="${emailPath}">${text("verify_email.email_link")}</a></p>`
  )
