import { hidden } from "../../pages/Field.ts"
import { html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"

interface Kept {
  /** The path of the form. */
  readonly path: string
  /** What was typed. */
  readonly fields: ReadonlyArray<readonly [name: string, value: string]>
  readonly signInPath: string
}

/**
 * Answers a form of a person whose session has ended. The page keeps what was typed: after signing in in another tab, the
 * person sends the form again and sees it with a new token.
 */
export const signedOutPage = ({ fields, path, signInPath }: Kept): Page =>
  page(
    text("signed_out.title"),
    html`<h1>${text("signed_out.title")}</h1>
      <p>${text("signed_out.about")}</p>
      <p>
        <a class="button primary" href="${signInPath}" target="_blank" rel="noopener"
          >${text("signed_out.sign_in_link")}</a
        >
      </p>
      <p>${text("signed_out.then")}</p>
      <form class="stack" method="post" action="${path}">
        ${fields.map(([name, value]) => hidden(name, value))}
        <button>${text("signed_out.again_button")}</button>
      </form>`
  )
