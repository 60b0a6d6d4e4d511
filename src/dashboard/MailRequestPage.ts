import { alert, field, hidden, titled } from "./Field.ts"
import { escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"

/** The words of a page that mails a link. */
export interface MailRequestWords {
  readonly title: string
  /** When a person needs the link, and what it does. */
  readonly about: string
  /** The page after the request. It is the same for an email without an account. */
  readonly mailed: string
}

interface MailRequest {
  readonly words: MailRequestWords
  readonly form_token: string
  readonly email?: string | undefined
  readonly problem?: string | undefined
}

export const mailRequestPage = ({ email, form_token, problem, words: { about, title } }: MailRequest): Page =>
  page(
    titled(title, problem !== undefined),
    escaped`<h1>${title}</h1>
    ${alert(problem)}
    <p class="quiet">${about}</p>
    <form class="stack" method="post">
      ${hidden("form_token", form_token)}
      ${field({ name: "email", label: "Email", type: "email", autocomplete: "username", value: email, autofocus: true })}
      <button class="primary">Mail me a link</button>
    </form>`
  )

export const mailSent = ({ mailed }: MailRequestWords): Page =>
  page(
    "Look for our mail",
    escaped`<h1>Look for our mail</h1>
    <p>If there is an account with this email, we sent a link to it. ${mailed}</p>`
  )
