import { alert, field, hidden, titled } from "../../pages/Field.ts"
import { type Html, type Phrase, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"

/** The words of a page that mails a link. */
export interface MailRequestWords {
  readonly title: Phrase
  /** When a person needs the link, and what it does. */
  readonly about: Phrase
  /** The next step, on the page after the request. It is the same for an email without an account. */
  readonly next: Phrase
}

interface MailRequest {
  readonly words: MailRequestWords
  readonly form_token: string
  readonly signInPath: string
  readonly email?: string | undefined
  readonly problem?: Phrase | undefined
}

const backTo = (signInPath: string): Html =>
  html`<p class="last"><a href="${signInPath}">${text("mail_link.back_link")}</a></p>`

export const mailRequestPage = ({
  email,
  form_token,
  problem,
  signInPath,
  words: { about, title }
}: MailRequest): Page =>
  page(
    titled(title, problem !== undefined),
    html`<h1>${title}</h1>
      ${alert(problem)}
      <p class="quiet">${about}</p>
      <form class="stack" method="post">
        ${hidden("form_token", form_token)}
        ${field({ name: "email", label: text("form.email"), type: "email", autocomplete: "username", value: email, autofocus: true })}
        <button class="primary">${text("mail_link.button")}</button>
      </form>
      ${backTo(signInPath)}`
  )

export const mailSent = ({ next }: MailRequestWords, signInPath: string): Page =>
  page(
    text("mail_link.sent_title"),
    html`<h1>${text("mail_link.sent_title")}</h1>
      <p>${text("mail_link.sent", { next })}</p>
      <p>${text("mail_link.no_mail")}</p>
      ${backTo(signInPath)}`
  )
