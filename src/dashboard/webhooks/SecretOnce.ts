import { copyLine } from "../../pages/Copying.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"

/** A signing secret that was just made. `secret` is undefined when the form was sent again: it was shown already. */
export interface MadeSecret {
  readonly secret: string | undefined
}

interface Words {
  readonly title: Content
  /** Says that the secret was shown already. */
  readonly already: Content
  /** The next step. */
  readonly next?: Content
}

/** Shows a signing secret, which no later page does. */
export const secretOnce = ({ secret }: MadeSecret, { already, next, title }: Words): Html =>
  secret === undefined
    ? html`<p class="note" role="status">${already}</p>`
    : html`<section class="card stack" role="status" aria-labelledby="made">
        <h2 id="made">${title}</h2>
        <p>${text("webhooks.copy_now")}</p>
        ${copyLine("secret", text("webhooks.secret"), secret)} ${next !== undefined && html`<p>${next}</p>`}
      </section>`
