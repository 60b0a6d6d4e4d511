import { moment } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import type { DisputeView } from "../../staff/money/DisputeView.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { amount } from "../desk/Amount.ts"

type Dispute = typeof DisputeView.Type

const states = {
  needs_answer: [text("disputes.needs_answer"), "bad"],
  under_review: [text("disputes.under_review"), "unknown"],
  won: [text("disputes.won"), "good"],
  lost: [text("disputes.lost"), "bad"],
  closed: [text("disputes.closed"), ""]
} satisfies Record<NonNullable<Dispute["state"]>, readonly [Phrase, string]>

const statuses = {
  announced: text("disputes.announced"),
  taken: text("disputes.taken"),
  returned: text("disputes.returned")
} satisfies Record<Dispute["status"], Phrase>

const stateText = ({ answer_by, state, status }: Dispute): Content => {
  const [words, weight] = state === null ? ([statuses[status], ""] as const) : states[state]
  return html`<span class="mark ${weight}">${words}</span>
    <small
      >${state === "needs_answer" && answer_by !== null && text("disputes.answer_by", { when: moment(answer_by) })}</small
    >`
}

const listed = ({ pathTo }: AdminVisit, disputes: ReadonlyArray<Dispute>): Html =>
  table<Dispute>(
    [
      {
        head: text("disputes.dispute"),
        as: "name",
        cell: ({ id, reason }) => html`<code>${id}</code>${reason !== null && html`<small>${reason}</small>`}`
      },
      {
        head: text("customers.customer"),
        label: text("customers.customer"),
        cell: ({ user_id }) => html`<a href="${pathTo(`customers/${user_id}`)}"><code>${user_id.slice(0, 8)}</code></a>`
      },
      { head: text("admin.state"), label: text("admin.state"), cell: stateText },
      {
        head: text("disputes.reported"),
        label: text("disputes.reported"),
        cell: ({ created_at }) => moment(created_at)
      },
      {
        head: text("disputes.short"),
        label: text("disputes.short"),
        as: "number",
        cell: ({ currency, short }) => amount(currency, short)
      },
      {
        head: text("customer.amount"),
        label: text("customer.amount"),
        as: "number",
        cell: (dispute) => amount(dispute.currency, dispute.amount)
      }
    ],
    disputes
  )

/** The disputes that the payment gateways reported. */
export const disputesPage = (visit: AdminVisit, disputes: ReadonlyArray<Dispute>): Page =>
  adminPage(
    visit,
    { title: text("disputes.title"), section: "disputes", lead: text("disputes.lead") },
    html`<section class="card stack" aria-label="${text("disputes.title")}">
      ${disputes.length === 0 ? html`<p>${text("disputes.none")}</p>` : listed(visit, disputes)}
    </section>`
  )
