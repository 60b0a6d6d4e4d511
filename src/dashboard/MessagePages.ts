import type { RateLimited } from "../platform/requests/RateLimit.ts"
import type * as RequestDefect from "../platform/errors/RequestDefect.ts"
import { type Html, escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"

const message = (title: string, ...paragraphs: ReadonlyArray<Html | string>): Page =>
  page(title, escaped`<h1>${title}</h1>${paragraphs.map((text) => escaped`<p>${text}</p>`)}`)

/**
 * The request was decided, is older than 10 minutes, or began in another browser. The page does not reveal which. A person
 * who presses Approve twice sees it too.
 */
export const requestGone = (connectedAppsPath: string): Page =>
  message(
    "This request is over",
    escaped`If you have just approved the app, you are done. Go back to the app, or see
      <a href="${connectedAppsPath}">Connected apps</a>.`,
    "Otherwise the request was declined, is older than 10 minutes, or began in another browser. Go back to the app and connect it again, and use one browser until you are done."
  )

/** A fault of the app's request that the person sees because the app cannot get it by redirect. */
export const authorizationFailed = ({ detail, error }: { readonly error: string; readonly detail: string }): Page =>
  message(
    "This app could not be connected",
    detail,
    "Nothing was changed. You can close this page.",
    escaped`<span class="quiet">For the app's developer: <code>${error}</code></span>`
  )

export const tooManyRequests = (limited: RateLimited): Page =>
  message("Too many requests", `There were too many requests in a short time. ${tryAgainIn(limited)}`)

export const pageNotFound: Page = message(
  "Page not found",
  "There is no page at this address. Check the link, or go back."
)

/** The address accepts only other methods. A person sees this after opening the address of a form as a link. */
export const methodNotAllowed = (method: string, allowed: ReadonlyArray<string>): Page =>
  message(
    "This does not work here",
    `This address does not accept ${method}; it accepts ${allowed.join(", ")}. Nothing was changed.`,
    "Go back, and use the links and buttons of the page."
  )

export const paymentNotFound: Page = message(
  "Payment not found",
  "There is no payment at this address. Check the link, or start again."
)

export const paymentChoiceInvalid: Page = message(
  "Choose Pay or Decline",
  "Nothing was changed. Go back to the payment and press one of its two buttons."
)

/** The page after a defect. */
export const pageFailed = (status: RequestDefect.Status, requestId: string): Page => {
  switch (status) {
    case 413:
      return message(
        "The form is too large",
        "The form is larger than 64 KiB, or did not arrive completely. Nothing was changed. Go back, shorten your entries, and try again."
      )
    case 503:
      return message(
        "Not available right now",
        "We cannot reach our database at the moment. Wait a minute, then try again."
      )
    case 500:
      return message(
        "Something went wrong",
        "This is our fault. Go back and try again.",
        escaped`If that does not help, send our support this request id: <code>${requestId}</code>`
      )
  }
}

export const tryAgainIn = ({ details: { retry_after } }: RateLimited): string =>
  `Try again in ${retry_after < 90 ? `${retry_after} seconds` : `${Math.ceil(retry_after / 60)} minutes`}.`

export const tryAgain = "We could not confirm that you sent this form, so nothing was changed. Please try again."
