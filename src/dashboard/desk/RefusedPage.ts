import type { Faults } from "../../pages/Field.ts"
import { html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { deskPage, entryAt } from "./DeskPage.ts"
import type { Visit } from "./Visit.ts"

/** Tells that the request of a path was refused, and why. Leads back to the entry of the menu above the path. */
export const refusedPage = (visit: Visit, path: string, faults: Faults): Page => {
  const entry = entryAt(visit, path)
  return deskPage(
    visit,
    {
      title: text("desk.refused_title"),
      section: entry?.name ?? "none",
      faults,
      ...(entry !== undefined && { back: [visit.pathTo(entry.name), entry.label] as const })
    },
    html`<p><a href="${visit.pathTo("")}">${text("desk.refused_link")}</a></p>`
  )
}
