import { moment } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import type { DisputeView } from "../../staff/money/DisputeView.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { amount } from "../desk/Amount.ts"
import { nextLink, type Part } from "../desk/Part.ts"
import { methodText } from "../desk/StateText.ts"

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

const customer = ({ pathTo }: AdminVisit, user_id: string): Html =>
  html`<a href="${pathTo(`customers/${user_id}`)}"><code>${user_id.slice(0, 8)}</code></a>`

const listed = (visit: AdminVisit, disputes: ReadonlyArray<Dispute>): Html =>
  table<Dispute>(
    [
      {
        head: text("disputes.dispute"),
        as: "name",
        cell: ({ id, reason }) =>
          html`<a href="${visit.pathTo(`disputes/${id}`)}"><code>${id}</code></a
            >${reason !== null && html`<small>${reason}</small>`}`
      },
      {
        head: text("customers.customer"),
        label: text("customers.customer"),
        cell: ({ user_id }) => customer(visit, user_id)
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

/** The disputes that the payment gateways reported: those that wait, the oldest first, and all, the newest first. */
export const disputesPage = (
  visit: AdminVisit,
  { newest, waiting }: { readonly waiting: Part<Dispute>; readonly newest: Part<Dispute> }
): Page =>
  adminPage(
    visit,
    { title: text("disputes.title"), section: "disputes", lead: text("disputes.lead") },
    html`<section class="card stack" aria-labelledby="waiting">
        <h2 id="waiting">${text("disputes.needs_answer")}</h2>
        ${waiting.items.length === 0 ? html`<p>${text("requests.none")}</p>` : listed(visit, waiting.items)}
        ${nextLink(visit, "disputes", "waiting", waiting)}
      </section>
      <section class="card stack" aria-labelledby="newest">
        <h2 id="newest">${text("disputes.newest")}</h2>
        ${newest.items.length === 0 ? html`<p>${text("disputes.none")}</p>` : listed(visit, newest.items)}
        ${nextLink(visit, "disputes", "after", newest)}
      </section>`
  )

const fact = (name: Phrase, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

/** One dispute. It is answered at the gateway. */
export const disputePage = (visit: AdminVisit, dispute: Dispute): Page => {
  const { charge_id, created_at, currency, debited, given_back, id, payment_method, reason, short, user_id } = dispute
  return adminPage(
    visit,
    {
      title: text("disputes.dispute"),
      section: "disputes",
      lead: text("disputes.lead"),
      back: [visit.pathTo("disputes"), text("disputes.title")]
    },
    html`<section class="card">
      <dl class="facts">
        ${fact(text("customer.id"), html`<code>${id}</code>`)} ${fact(text("admin.state"), stateText(dispute))}
        ${reason !== null && fact(text("admin.reason"), html`<bdi>${reason}</bdi>`)}
        ${fact(text("customers.customer"), customer(visit, user_id))}
        ${fact(text("customer.payment"), html`${methodText(payment_method)} <code>${charge_id}</code>`)}
        ${fact(text("disputes.reported"), moment(created_at))}
        ${fact(text("customer.amount"), html`<b>${amount(currency, dispute.amount)}</b>`)}
        ${fact(text("disputes.debited"), amount(currency, debited))}
        ${fact(text("disputes.given_back"), amount(currency, given_back))}
        ${fact(text("disputes.short"), amount(currency, short))}
      </dl>
    </section>`
  )
}
