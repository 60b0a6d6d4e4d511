import type { RateLimited } from "../platform/requests/RateLimit.ts"
import type * as RequestDefect from "../platform/errors/RequestDefect.ts"
import { type Html, escaped } from "./Html.ts"
import { page } from "./Layout.ts"

const message = (title: string, ...paragraphs: ReadonlyArray<Html | string>): Html =>
  page(title, escaped`<h1>${title}</h1>${paragraphs.map((text) => escaped`<p>${text}</p>`)}`)

/**
 * Decided, older than 10 minutes, or begun in another browser: which, is nobody's business. Whoever presses Approve
 * twice ends here too.
 */
export const requestGone = (connectedAppsPath: string): Html =>
  message(
    "This request is over",
    escaped`If you have just approved it, you are done: look at the app, or under
      <a href="${connectedAppsPath}">Connected apps</a>.`,
    "Otherwise it was declined, is older than 10 minutes, or was started in another browser. Go back to the app and connect it again; keep to one browser until you are done."
  )

/** A fault of the app's request that it is not told of itself; there is no way on from here. */
export const authorizationFailed = ({ detail, error }: { readonly error: string; readonly detail: string }): Html =>
  message(
    "This app could not be connected",
    detail,
    "Nothing was changed. You can close this page.",
    escaped`<span class="quiet">For the app's developer: <code>${error}</code></span>`
  )

export const tooManyRequests = (limited: RateLimited): Html =>
  message("Too many requests", `A lot was asked for from your network in a short time. ${tryAgainIn(limited)}`)

export const pageNotFound: Html = message(
  "Page not found",
  "There is nothing at this address. Check the link, or go back."
)

/** An address that takes other methods, such as that of a form which somebody opens by its link. */
export const methodNotAllowed = (method: string, allowed: ReadonlyArray<string>): Html =>
  message(
    "This does not work here",
    `There is no ${method} at this address; it takes ${allowed.join(", ")}. Nothing was changed.`,
    "Go back, and use the links and buttons of the page."
  )

export const paymentNotFound: Html = message(
  "Payment not found",
  "There is no payment at this address. Check the link, or start again."
)

export const paymentChoiceInvalid: Html = message(
  "Choose how to go on",
  "Go back to the payment, then choose Pay or Decline. Nothing was changed."
)

/** A page, or the answer to a form, that ended in a defect. */
export const pageFailed = (status: RequestDefect.Status, requestId: string): Html => {
  switch (status) {
    case 413:
      return message(
        "Too much was sent",
        "The form is larger than 64 KiB, or did not arrive as a whole. Nothing was changed. Go back, send less, and try again."
      )
    case 503:
      return message(
        "Not available right now",
        "This service cannot reach its database at the moment. Wait a minute, then try again."
      )
    case 500:
      return message(
        "Something went wrong",
        "The fault is on our side. Go back and try again.",
        escaped`If that does not help, tell our support this request id: <code>${requestId}</code>`
      )
  }
}

export const tryAgainIn = ({ details: { retry_after } }: RateLimited): string =>
  `Try again in ${retry_after < 90 ? `${retry_after} seconds` : `${Math.ceil(retry_after / 60)} minutes`}.`

export const tryAgain = "That did not come through safely, so nothing was changed. Please try again."
