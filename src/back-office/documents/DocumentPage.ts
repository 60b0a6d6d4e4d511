import { area, type Faults, hidden } from "../../pages/Field.ts"
import { type Content, html, localized, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { paperHtml } from "../../pages/PaperHtml.ts"
import type { Submission } from "../../pages/Submissions.ts"
import { may } from "../../staff/Actor.ts"
import type { ShownDocument } from "../../staff/documents/StaffDocument.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"

/** One document as its customer sees it. */
export const documentPage = (visit: AdminVisit, document: ShownDocument, notice: Content): Page => {
  const { kind, number, paper, reversed_note, user_id } = document
  const path = visit.pathTo(`documents/${number}`)
  return adminPage(
    visit,
    {
      title: localized(paper.title),
      section: "documents",
      back: [visit.pathTo("documents"), text("documents.title")],
      notice,
      actions: html`<a class="button" href="${visit.pathTo(`customers/${user_id}`)}">${text("customers.customer")}</a>
        <a class="button" href="${path}/file.pdf">${text("invoices.pdf")}</a>
        ${
          kind === "invoice" &&
          may(visit.actor, "document.issue") &&
          html`<a class="button" href="${path}/reissue">${text("documents.reissue_button")}</a>`
        }`
    },
    html`${reversed_note !== null && html`<p class="note">${localized(reversed_note)}</p>`} ${paperHtml(paper)}`
  )
}

interface Again {
  readonly key: string
  readonly faults?: Faults
  readonly typed?: Submission
}

/** The form that issues an invoice again. */
export const reissuePage = (visit: AdminVisit, document: ShownDocument, { faults = {}, key, typed }: Again): Page => {
  const { number, paper } = document
  const path = visit.pathTo(`documents/${number}`)
  return adminPage(
    visit,
    {
      title: text("documents.reissue_title"),
      section: "documents",
      back: [path, localized(paper.title)],
      lead: text("documents.reissue_about"),
      faults
    },
    html`<section class="card">
        ${visit.form(
          `${path}/reissue`,
          html`<div class="stack">
            ${hidden("key", key)}
            ${area({
              name: "reason",
              label: text("admin.reason"),
              hint: text("admin.reason_hint"),
              rows: 2,
              value: typed?.field("reason"),
              error: faults["reason"]
            })}
            <div><button class="primary">${text("documents.reissue_button")}</button></div>
          </div>`
        )}
      </section>
      ${paperHtml(paper)}`
  )
}
