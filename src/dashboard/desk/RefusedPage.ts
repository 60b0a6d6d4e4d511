import type { Faults } from "../../pages/Field.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage } from "./DeskPage.ts"
import type { Visit } from "./Visit.ts"

/** Tells that a request was refused, and why. */
export const refusedPage = (visit: Visit, faults: Faults): Page =>
  deskPage(
    visit,
    { title: text("desk.refused_title"), section: "none", faults },
    html`<p><a href="${visit.pathTo("")}">${text("desk.refused_link")}</a></p>`
  )
