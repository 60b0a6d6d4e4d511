import { type Html, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"

interface Blocked {
  /** The operator's words for the customer. */
  readonly public_reason: string
  /** Links to the support of the brand. */
  readonly support: ReadonlyArray<Html>
}

/** Says why a person with the right password may not sign in. */
export const blockedPage = ({ public_reason, support: [support] }: Blocked): Page =>
  page(
    text("blocked.title"),
    html`<h1>${text("blocked.title")}</h1>
      <p>${text("blocked.reason", { reason: html`<b>${public_reason}</b>` })}</p>
      <p>${text("blocked.about")}</p>
      <p>${support === undefined ? text("blocked.ask") : text("blocked.ask_support", { link: support })}</p>`
  )
