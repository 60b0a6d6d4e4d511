import { area, field, type Faults, hidden } from "../../pages/Field.ts"
import { moment } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import type { Submission } from "../../pages/Submissions.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { PayoutView } from "../../staff/money/PayoutView.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { amount } from "../desk/Amount.ts"
import { nextLink, type Part } from "../desk/Part.ts"

type Payout = typeof PayoutView.Type

export type PayoutAction = "approve" | "sent" | "decline"

const payoutActions: Record<PayoutAction, { readonly title: Phrase; readonly button: Phrase; readonly look: string }> =
  {
    approve: { title: text("payouts.approve_title"), button: text("payouts.approve_button"), look: "primary" },
    sent: { title: text("payouts.sent_title"), button: text("payouts.sent_button"), look: "primary" },
    decline: { title: text("payouts.decline_title"), button: text("payouts.decline_button"), look: "danger" }
  }

const statuses = {
  requested: [text("payouts.requested"), "unknown"],
  approved: [text("payouts.approved"), "unknown"],
  sent: [text("payouts.sent"), "good"],
  declined: [text("payouts.declined"), "bad"],
  cancelled: [text("payouts.cancelled"), ""]
} satisfies Record<Payout["status"], readonly [Phrase, string]>

const stops = {
  restriction: text("payouts.stop_restriction"),
  dispute: text("payouts.stop_dispute")
} satisfies Record<NonNullable<Payout["stop"]>, Phrase>

/** Tells staff to send no money; undefined when nothing stops the withdrawal. */
const warningOf = ({ status, stop }: Payout): Content =>
  stop === null ? undefined : status === "approved" ? html`${stops[stop]} ${text("payouts.stop_left")}` : stops[stop]

const statusText = ({ settled_by_name, status, stop }: Payout): Content => {
  const [words, weight] = statuses[status]
  return html`<span class="mark ${weight}">${words}</span>
    ${stop !== null && html`<span class="mark bad">${text("payouts.stop")}</span>`}
    <small>${settled_by_name !== null && text("money.by", { name: settled_by_name })}</small>`
}

const customer = ({ pathTo }: AdminVisit, { user_id }: Payout): Html =>
  html`<a href="${pathTo(`customers/${user_id}`)}"><code>${user_id.slice(0, 8)}</code></a>`

const listed = (visit: AdminVisit, payouts: ReadonlyArray<Payout>): Html =>
  table<Payout>(
    [
      {
        head: text("payouts.destination"),
        as: "name",
        cell: ({ destination, id }) =>
          html`<a href="${visit.pathTo(`payouts/${id}`)}"><bdi>${destination ?? text("payouts.erased")}</bdi></a>`
      },
      {
        head: text("customers.customer"),
        label: text("customers.customer"),
        cell: (payout) => customer(visit, payout)
      },
      { head: text("admin.state"), label: text("admin.state"), cell: statusText },
      { head: text("payouts.asked"), label: text("payouts.asked"), cell: ({ created_at }) => moment(created_at) },
      {
        head: text("customer.amount"),
        label: text("customer.amount"),
        as: "number",
        cell: (payout) => amount(payout.currency, payout.amount)
      }
    ],
    payouts
  )

/** The withdrawals that customers ask for: those that wait, the oldest first, and all, the newest first. */
export const payoutsPage = (
  visit: AdminVisit,
  { newest, waiting }: { readonly waiting: Part<Payout>; readonly newest: Part<Payout> }
): Page =>
  adminPage(
    visit,
    { title: text("payouts.title"), section: "payouts", lead: text("payouts.lead") },
    html`<section class="card stack" aria-labelledby="waiting">
        <h2 id="waiting">${text("payouts.waiting")}</h2>
        ${waiting.items.length === 0 ? html`<p>${text("requests.none")}</p>` : listed(visit, waiting.items)}
        ${nextLink(visit, "payouts", "waiting", waiting)}
      </section>
      <section class="card stack" aria-labelledby="newest">
        <h2 id="newest">${text("payouts.newest")}</h2>
        ${newest.items.length === 0 ? html`<p>${text("payouts.none")}</p>` : listed(visit, newest.items)}
        ${nextLink(visit, "payouts", "after", newest)}
      </section>`
  )

const fact = (name: Phrase, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

const facts = (visit: AdminVisit, payout: Payout): Html => {
  const { approved_at, approved_by_name, created_at, customer_text, destination, reference, settled_at } = payout
  return html`<section class="card">
    <dl class="facts">
      ${fact(text("customer.amount"), html`<b>${amount(payout.currency, payout.amount)}</b>`)}
      ${fact(text("admin.state"), statusText(payout))} ${fact(text("customers.customer"), customer(visit, payout))}
      ${fact(text("payouts.destination"), html`<bdi>${destination ?? text("payouts.erased")}</bdi>`)}
      ${fact(text("payouts.asked"), moment(created_at))}
      ${approved_at !== null && fact(text("payouts.approval"), html`${approved_by_name ?? ""}, ${moment(approved_at)}`)}
      ${settled_at !== null && fact(text("payouts.settled"), moment(settled_at))}
      ${reference !== null && fact(text("payouts.reference"), html`<bdi>${reference}</bdi>`)}
      ${customer_text !== null && fact(text("payouts.customer_text"), html`<bdi>${customer_text}</bdi>`)}
    </dl>
  </section>`
}

const actionsOf = ({ status, stop }: Payout): ReadonlyArray<PayoutAction> => {
  if (stop !== null) return ["decline"]
  if (status === "requested") return ["approve", "decline"]
  return status === "approved" ? ["sent", "decline"] : []
}

/** One withdrawal, and the ways to settle it. */
export const payoutPage = (visit: AdminVisit, payout: Payout, notice: Content): Page =>
  adminPage(
    visit,
    {
      title: text("payouts.one"),
      section: "payouts",
      back: [visit.pathTo("payouts"), text("payouts.title")],
      notice,
      warning: warningOf(payout),
      actions:
        may(visit.actor, "payout.settle") &&
        actionsOf(payout).map(
          (action) =>
            html`<a
              class="button ${payoutActions[action].look}"
              href="${visit.pathTo(`payouts/${payout.id}/${action}`)}"
              >${payoutActions[action].button}</a
            >`
        )
    },
    facts(visit, payout)
  )

/** A form that was sent and is shown again. */
interface Settling {
  readonly key: string
  readonly faults?: Faults
  readonly typed?: Submission
}

/** The form that settles a withdrawal. */
export const settlePayoutPage = (
  visit: AdminVisit,
  payout: Payout,
  action: PayoutAction,
  { faults = {}, key, typed }: Settling
): Page => {
  const { button, look, title } = payoutActions[action]
  const line = (name: "reference" | "customer_text", label: Phrase, hint: Phrase) =>
    field({ name, label, hint, autocomplete: "off", value: typed?.field(name), error: faults[name] })
  return adminPage(
    visit,
    {
      title,
      section: "payouts",
      back: [visit.pathTo(`payouts/${payout.id}`), text("payouts.one")],
      warning: warningOf(payout),
      faults
    },
    html`${facts(visit, payout)}
      <section class="card" aria-label="${title}">
        ${visit.form(
          visit.pathTo(`payouts/${payout.id}/${action}`),
          html`<div class="stack">
            ${hidden("key", key)}
            ${action === "sent" && line("reference", text("payouts.reference"), text("payouts.reference_hint"))}
            ${
              action === "decline" &&
              line("customer_text", text("payouts.customer_text"), text("payouts.customer_text_hint"))
            }
            ${area({
              name: "reason",
              label: text("admin.reason"),
              hint: text("money.reason_hint"),
              rows: 2,
              value: typed?.field("reason"),
              error: faults["reason"]
            })}
            <div><button class="${look}">${button}</button></div>
          </div>`
        )}
      </section>`
  )
}
