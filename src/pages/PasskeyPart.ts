import type { Offer } from "../accounts/passkeys/PasskeyProofs.ts"
import { hidden } from "./Field.ts"
import { type Content, type Html, html, text } from "./Html.ts"

interface Part extends Offer {
  /** The browser makes a passkey, or it uses one. */
  readonly does: "make" | "use"
  /** True when the browser also offers passkeys in a field of the page (`autocomplete="webauthn"`). */
  readonly fills?: boolean
  /** The fields and the button. */
  readonly content: Content
}

/**
 * The content of a form that makes or uses a passkey. `passkey.js` shows it in browsers that can, and sends the form with
 * `ticket` and `credential`. Its page must have `usesPasskey`.
 */
export const passkeyPart = ({ content, does, fills = false, options, ticket }: Part): Html =>
  html`<div
    data-passkey="${does}"
    data-options="${JSON.stringify(options)}"
    data-failed="${does === "make" ? text("passkey.not_made") : text("passkey.failed")}"
    data-known="${text("passkey.known")}"
    ${fills && html` data-fills`}
    hidden
  >
    <div class="stack">
      ${hidden("ticket", ticket)} ${hidden("credential", "")} ${content}
      <p class="error" role="alert" hidden></p>
    </div>
  </div>`
