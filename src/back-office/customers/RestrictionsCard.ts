import type { Restriction } from "../../accounts/restrictions/Restriction.ts"
import { moment } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { WholeCustomer } from "../../staff/customers/Customer.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { presetText, restrictionMark } from "../desk/StateText.ts"

export const reasonCodes = {
  fraud: text("restriction.reason_fraud"),
  dispute: text("restriction.reason_dispute"),
  abuse: text("restriction.reason_abuse"),
  debt: text("restriction.reason_debt"),
  legal: text("restriction.reason_legal"),
  request: text("restriction.reason_request"),
  takeover: text("restriction.reason_takeover"),
  other: text("restriction.reason_other")
} satisfies Record<Restriction["reason_code"], Phrase>

const state = ({ lifted_at, lifted_by, lift_reason, until_at }: Restriction): Content => {
  if (lifted_at !== null)
    return html`${text("restriction.lifted", { when: moment(lifted_at), who: lifted_by ?? "" })}
      <small>${lift_reason ?? undefined}</small>`
  return until_at === null ? text("restriction.no_end") : text("restriction.until", { when: moment(until_at) })
}

const rows = ({ actor, pathTo }: AdminVisit, items: ReadonlyArray<Restriction>): Html =>
  table<Restriction>(
    [
      {
        head: text("restriction.kind"),
        as: "name",
        cell: ({ internal_reason, lifted_at, preset, reason_code }) =>
          html`${lifted_at === null ? restrictionMark(preset) : html`<b>${presetText[preset]}</b>`}
            ${reasonCodes[reason_code]} <small>${internal_reason}</small>`
      },
      {
        head: text("admin.who"),
        label: text("admin.who"),
        cell: ({ placed_at, placed_by }) => html`${placed_by} <small>${moment(placed_at)}</small>`
      },
      { head: text("admin.state"), label: text("admin.state"), cell: state },
      {
        head: html`<span class="hidden">${text("desk.actions")}</span>`,
        as: "go",
        cell: ({ id, lifted_at, user_id }) =>
          lifted_at === null &&
          may(actor, "restriction.lift") &&
          html`<a class="button small" href="${pathTo(`customers/${user_id}/lift/${id}`)}"
            >${text("restriction.lift_link")}</a
          >`
      }
    ],
    items
  )

/** The newest restrictions of a customer, with the ways to lift one and to place another. */
export const restrictionsCard = (visit: AdminVisit, { customer, restrictions }: WholeCustomer): Html =>
  html`<section class="card stack" aria-labelledby="restrictions">
    <h2 id="restrictions">${text("restriction.title")}</h2>
    ${restrictions.length === 0 ? html`<p>${text("restriction.none")}</p>` : rows(visit, restrictions)}
    ${
      may(visit.actor, "restriction.hold") &&
      html`<p>
        <a class="button" href="${visit.pathTo(`customers/${customer.id}/restrict`)}"
          >${text("restriction.place_link")}</a
        >
      </p>`
    }
  </section>`
