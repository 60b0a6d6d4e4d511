import { hidden } from "../../pages/Field.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "../desk/DeskPage.ts"
import type { Visit } from "../desk/Visit.ts"

/** Says whether news come by mail, and the button that changes it. */
export const newsPage = (visit: Visit, isOn: boolean): Page =>
  deskPage(
    visit,
    {
      title: text("account_news.title"),
      section: "account",
      back: [visit.pathTo("account"), text("account.title")]
    },
    html`<section class="card stack">
      <p><b>${isOn ? text("account_news.on") : text("account_news.off")}</b></p>
      <p>${text("account_news.about")}</p>
      ${visit.form(
        visit.pathTo("account/news"),
        html`${hidden("news", isOn ? "off" : "on")}
          <div>
            <button class="primary">${isOn ? text("unsubscribe.button") : text("unsubscribe.again_button")}</button>
          </div>`
      )}
    </section>`
  )
