import { hidden } from "../../pages/Field.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Faults } from "../../pages/Field.ts"
import type { Page } from "../../pages/Layout.ts"
import { may } from "../../staff/Actor.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { type Adjustment, adjustmentTable, type Refund, refundTable } from "../desk/MoneyTables.ts"
import { shortId } from "../desk/ShortId.ts"

interface Requests {
  readonly adjustments: ReadonlyArray<Adjustment>
  readonly refunds: ReadonlyArray<Refund>
  /** Makes a key for a form. */
  readonly newKey: () => string
}

interface Told {
  readonly faults?: Faults
  readonly notice?: Content
  readonly warning?: Content
}

interface Request {
  readonly id: string
  readonly created_by: string
}

const deciding = (visit: AdminVisit, { newKey }: Requests, what: "adjustment" | "refund") => {
  const { actor, form, pathTo } = visit
  const button = (id: string, decision: "approve" | "decline", label: Phrase, look: string): Html =>
    form(
      pathTo("requests"),
      html`${hidden("what", what)}${hidden("id", id)}${hidden("decision", decision)}${hidden("key", newKey())}
        <button class="${look}">${label}</button>`
    )
  return ({ created_by, id }: Request): Content => {
    if (!may(actor, what === "adjustment" ? "adjustment.approve" : "refund.approve")) return undefined
    if (created_by === actor.staff_id) return html`<small>${text("requests.own")}</small>`
    return html`<div class="row">
      ${button(id, "approve", text("requests.approve_button"), "small")}
      ${button(id, "decline", text("requests.decline_button"), "danger small")}
    </div>`
  }
}

/** The requests that wait for a second person. */
export const requestsPage = (visit: AdminVisit, requests: Requests, told: Told = {}): Page => {
  const { adjustments, refunds } = requests
  const owner = ({ user_id }: Pick<Adjustment, "user_id">) =>
    html`<a href="${visit.pathTo(`customers/${user_id}`)}">${shortId(user_id)}</a>`
  return adminPage(
    visit,
    { title: text("admin.requests"), section: "requests", lead: text("requests.lead"), ...told },
    html`<section class="card stack" aria-labelledby="adjustments">
        <h2 id="adjustments">${text("customer.adjustments")}</h2>
        ${
          adjustments.length === 0
            ? html`<p>${text("requests.none")}</p>`
            : adjustmentTable(visit, adjustments, { owner, more: deciding(visit, requests, "adjustment") })
        }
      </section>
      <section class="card stack" aria-labelledby="refunds">
        <h2 id="refunds">${text("customer.refunds")}</h2>
        ${
          refunds.length === 0
            ? html`<p>${text("requests.none")}</p>`
            : refundTable(visit, refunds, { owner, more: deciding(visit, requests, "refund") })
        }
      </section>`
  )
}
