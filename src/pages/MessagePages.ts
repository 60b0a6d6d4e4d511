import type { RateLimited } from "../platform/requests/RateLimit.ts"
import type * as RequestDefect from "../platform/errors/RequestDefect.ts"
import { type Content, counted, type Phrase, html, text } from "./Html.ts"
import { type Page, page } from "./Layout.ts"

const message = (title: Phrase, ...paragraphs: ReadonlyArray<Content>): Page => ({
  ...page(
    title,
    html`<h1>${title}</h1>
      ${paragraphs.map((said) => html`<p>${said}</p>`)}`
  ),
  leadsHome: true
})

/**
 * The request was decided, is older than 10 minutes, or began in another browser. The page does not reveal which. A person
 * who presses Approve twice sees it too.
 */
export const requestGone = (connectedAppsPath: string): Page =>
  message(
    text("request_gone.title"),
    text("request_gone.approved", {
      link: html`<a href="${connectedAppsPath}">${text("connections.title")}</a>`
    }),
    text("request_gone.otherwise")
  )

/** A fault of the app's request that the person sees because the app cannot get it by redirect. */
export const authorizationFailed = ({ detail, error }: { readonly error: string; readonly detail: string }): Page =>
  message(
    text("authorization_failed.title"),
    detail,
    text("authorization_failed.unchanged"),
    html`<span class="quiet">${text("authorization_failed.developer", { error: html`<code>${error}</code>` })}</span>`
  )

export const tooManyRequests = (limited: RateLimited): Page =>
  message(text("too_many_requests.title"), text("too_many_requests.about", { when: tryAgainIn(limited) }))

export const pageNotFound: Page = message(text("not_found.title"), text("not_found.about"))

/** The address accepts only other methods. A person sees this after opening the address of a form as a link. */
export const methodNotAllowed = (method: string, allowed: ReadonlyArray<string>): Page =>
  message(
    text("method_not_allowed.title"),
    text("method_not_allowed.about", { method, allowed: allowed.join(", ") }),
    text("method_not_allowed.back")
  )

/** A page of another site sent the form. */
export const foreignForm: Page = message(
  text("foreign_form.title"),
  text("foreign_form.about"),
  text("foreign_form.then")
)

export const paymentNotFound: Page = message(text("payment.not_found_title"), text("payment.not_found"))

export const paymentChoiceInvalid: Page = message(text("payment.no_choice_title"), text("payment.no_choice"))

/** The page after a defect. */
export const pageFailed = (status: RequestDefect.Status, requestId: string): Page => {
  switch (status) {
    case 413:
      return message(text("form_too_large.title"), text("form_too_large.about"))
    case 503:
      return message(text("unavailable.title"), text("unavailable.about"))
    case 500:
      return message(
        text("failed.title"),
        text("failed.about"),
        text("failed.request_id", { id: html`<code>${requestId}</code>` })
      )
  }
}

export const tryAgainIn = ({ details: { retry_after } }: RateLimited): Phrase =>
  retry_after < 90
    ? counted("form.again_in_seconds", retry_after)
    : text("form.again_in_minutes", { minutes: Math.ceil(retry_after / 60) })

export const tryAgain = text("form.not_confirmed")
