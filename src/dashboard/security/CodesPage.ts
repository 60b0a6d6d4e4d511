import { copyButton } from "../../pages/Copying.ts"
import { hidden } from "../../pages/Field.ts"
import { type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

interface Shown {
  readonly codes: ReadonlyArray<string>
  readonly notice: Phrase
  /** Links to the support of the brand. */
  readonly support: ReadonlyArray<Html>
}

/** Shows recovery codes, which no later page does. */
export const codesPage = (visit: Visit, { codes, notice, support: [support] }: Shown): Page => {
  const { form, pathTo } = visit
  return deskPage(
    visit,
    {
      title: text("security.codes_title"),
      section: "security",
      back: [pathTo("security"), text("security.title")],
      notice
    },
    html`<section class="card stack" aria-labelledby="codes-heading">
      <h2 id="codes-heading">${text("security.codes_heading")}</h2>
      <p>${text("security.codes_about")}</p>
      <p>
        ${support === undefined ? text("security.codes_lost") : text("security.codes_lost_support", { link: support })}
      </p>
      <div class="example">
        <pre id="codes">${codes.join("\n")}</pre>
        ${copyButton("codes", text("security.codes_title"))}
      </div>
      <div class="row">
        ${form(
          pathTo("security/recovery-codes/file"),
          html`${hidden("codes", codes.join(" "))}<button data-file>${text("security.download_button")}</button>`
        )}
        <a class="button primary" href="${pathTo("security")}">${text("security.kept_link")}</a>
      </div>
    </section>`
  )
}
