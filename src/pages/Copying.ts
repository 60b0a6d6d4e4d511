import { type Content, type Html, html, type Phrase, text } from "./Html.ts"

/**
 * A button that copies the text of the element with this id, or the text itself when there is no such element. `what` names it
 * for screen readers, so it has no markup. Hidden without scripts.
 */
export const copyButton = (id: string, what: Phrase | string, className = "small"): Html =>
  html`<button
    class="${className}"
    type="button"
    data-copy="${id}"
    data-copied="${text("desk.copied")}"
    aria-label="${text("desk.copy_label", { what })}"
  >
    ${text("desk.copy_button")}
  </button>`

/** A text that people copy, such as a password. A click selects all of it. */
export const copyLine = (id: string, what: Phrase | string, copied: Content): Html =>
  html`<div class="copyline"><code id="${id}">${copied}</code>${copyButton(id, what)}</div>`
