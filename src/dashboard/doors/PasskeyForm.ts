import type { Offer } from "../../accounts/passkeys/PasskeyProofs.ts"
import { hidden } from "../../pages/Field.ts"
import { type Html, html, type Phrase } from "../../pages/Html.ts"
import { passkeyPart } from "../../pages/PasskeyPart.ts"

interface Form {
  readonly form_token: string
  readonly button: Phrase
  /** True when the browser also offers passkeys in the field of the email. */
  readonly fills?: boolean
}

/** The form that signs in with a passkey. It goes to the same address as the other form of its page. */
export const passkeyForm = (offer: Offer, { button, fills = false, form_token }: Form): Html =>
  html`<form class="passkey" method="post">
    ${hidden("form_token", form_token)}
    ${passkeyPart({ ...offer, does: "use", fills, content: html`<button>${button}</button>` })}
  </form>`
