import { hidden } from "../../pages/Field.ts"
import { html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"

/** The page of the link in a mail with news. It asks first, because mail scanners open links too. */
export const unsubscribePage: Page = page(
  text("unsubscribe.title"),
  html`<h1>${text("unsubscribe.title")}</h1>
    <p class="quiet">${text("unsubscribe.about")}</p>
    <form class="stack" method="post">
      ${hidden("choice", "off")}
      <button class="primary">${text("unsubscribe.button")}</button>
    </form>`
)

/** News are off. The button turns them on again. */
export const unsubscribed: Page = page(
  text("unsubscribe.done_title"),
  html`<h1>${text("unsubscribe.done_title")}</h1>
    <p role="status">${text("unsubscribe.done_about")}</p>
    <form class="stack" method="post">
      ${hidden("choice", "on")}
      <button>${text("unsubscribe.again_button")}</button>
    </form>`
)

/** News are on again. */
export const subscribed: Page = page(
  text("unsubscribe.on_title"),
  html`<h1>${text("unsubscribe.on_title")}</h1>
    <p role="status">${text("unsubscribe.on_about")}</p>`
)

/** The page of a code that is not, or is no longer, in use. */
export const unsubscribeUnknown: Page = page(
  text("unsubscribe.unknown_title"),
  html`<h1>${text("unsubscribe.unknown_title")}</h1>
    <p>${text("unsubscribe.unknown_about")}</p>`
)
