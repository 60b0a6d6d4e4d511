import type { Faults } from "../../pages/Field.ts"
import { moment, money, number } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { WholeCustomer } from "../../staff/customers/Customer.ts"
import type { ListName, RecordsOfLists } from "../../staff/customers/CustomerRecord.ts"
import type { Part } from "../../staff/customers/CustomerRecords.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { careCard } from "./CareCard.ts"
import { customerName } from "../desk/CustomerName.ts"
import { type Adjustment, adjustmentTable, type Refund, refundTable } from "../desk/MoneyTables.ts"
import { recordLists } from "./RecordLists.ts"
import { restrictionsCard } from "./RestrictionsCard.ts"
import { shortId } from "../desk/ShortId.ts"

/** Everything that the page of a customer shows. */
export interface ShownCustomer extends WholeCustomer {
  /** The newest records of each list. */
  readonly lists: { readonly [L in ListName]: Part<RecordsOfLists[L]> }
  readonly adjustments: ReadonlyArray<Adjustment>
  readonly refunds: ReadonlyArray<Refund>
}

/** The result of the last request. */
interface Outcome {
  readonly faults?: Faults
  readonly notice?: Content
  readonly warning?: Content
}

const fact = (name: Phrase, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

const yesOrNo = (is: boolean) => (is ? text("admin.yes") : text("admin.no"))

const facts = ({ actor, pathTo }: AdminVisit, { customer }: ShownCustomer): Html =>
  html`<section class="card stack" aria-labelledby="facts">
    <h2 id="facts">${text("customer.facts")}</h2>
    <dl class="facts">
      ${fact(text("customer.id"), html`<code>${customer.id}</code>`)}
      ${fact(text("customers.since"), moment(customer.created_at))}
      ${fact(text("customer.email_verified"), yesOrNo(customer.email_verified))}
      ${fact(text("customer.second_factor"), yesOrNo(customer.has_second_factor))}
      ${fact(text("customer.language"), html`<code>${customer.language}</code>`)}
      ${customer.referred_by !== null && fact(text("customer.referred_by"), html`<a href="${pathTo(`customers/${customer.referred_by}`)}">${shortId(customer.referred_by)}</a>`)}
      ${fact(text("customer.orders_count"), text("customer.orders_figures", { all: number(customer.orders), live: number(customer.live_orders) }))}
      ${customer.suspended_proxies > 0 && fact(text("customer.stopped"), number(customer.suspended_proxies))}
      ${customer.proxies_not_stopped > 0 && fact(text("customer.not_stopped"), number(customer.proxies_not_stopped))}
      ${fact(text("customer.charges"), number(customer.charges))}
      ${fact(text("customer.open_payments"), number(customer.open_payments))}
      ${customer.reversals > 0 && fact(text("customer.reversals"), number(customer.reversals))}
      ${fact(text("customer.webhooks"), number(customer.webhook_endpoints))}
    </dl>
    ${may(actor, "audit.read") && html`<p><a href="${pathTo("audit")}?user_id=${customer.id}">${text("customer.audit_link")}</a></p>`}
  </section>`

type Held = WholeCustomer["wallets"][number]

const walletTable = (items: ReadonlyArray<Held>): Html =>
  table<Held>(
    [
      {
        head: text("customer.wallet"),
        as: "name",
        cell: ({ currency, purchases_stopped, spending_blocked }) => [
          html`<b>${currency === "USD" ? text("wallet.dollars") : text("wallet.stars")}</b> `,
          spending_blocked && html`<span class="mark bad">${text("customer.mark_spending")}</span> `,
          purchases_stopped && html`<span class="mark bad">${text("customer.mark_stopped")}</span>`
        ]
      },
      {
        head: text("customer.balance"),
        label: text("customer.balance"),
        as: "number",
        cell: ({ balance, currency, sandbox_balance }) =>
          html`${money(currency, balance)}
          ${sandbox_balance > 0n && html`<small>${text("customer.sandbox", { amount: money(currency, sandbox_balance) })}</small>`}`
      }
    ],
    items
  )

const card = (id: string, title: Phrase, none: Phrase, isEmpty: boolean, content: Content): Html =>
  html`<section class="card stack" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${isEmpty ? html`<p>${none}</p>` : content}
  </section>`

const listCard = <L extends ListName>(visit: AdminVisit, { customer, lists }: ShownCustomer, name: L): Html => {
  const { none, show, title } = recordLists[name]
  const { items, next } = lists[name]
  const path = visit.pathTo(`customers/${customer.id}/${name}`)
  const more = next !== null && html`<p><a href="${path}">${text("customer.show_all", { what: title })}</a></p>`
  return card(name, title, none, items.length === 0, html`${show(visit, items)} ${more}`)
}

const moneyCards = (visit: AdminVisit, { adjustments, refunds }: ShownCustomer): Content => [
  card(
    "adjustments",
    text("customer.adjustments"),
    text("customer.adjustments_none"),
    adjustments.length === 0,
    adjustmentTable(visit, adjustments)
  ),
  card(
    "refunds",
    text("customer.refunds"),
    text("customer.refunds_none"),
    refunds.length === 0,
    refundTable(visit, refunds)
  )
]

const marks = ({ customer }: ShownCustomer): Content => [
  customer.deleted_at !== null && html`<span class="mark">${text("customers.deleted")}</span> `,
  customer.is_anonymous && html`<span class="mark">${text("customer.mark_anonymous")}</span> `,
  customer.access_blocked && html`<span class="mark bad">${text("customer.mark_access")}</span> `,
  customer.service_blocked && html`<span class="mark bad">${text("customer.mark_service")}</span>`
]

/** One customer: state, money, orders, payments, and everything else. */
export const customerPage = (visit: AdminVisit, shown: ShownCustomer, outcome: Outcome = {}): Page => {
  const { customer, wallets } = shown
  const { pathTo } = visit
  return adminPage(
    visit,
    {
      title: customerName(customer),
      section: "customers",
      back: [pathTo("customers"), text("admin.customers")],
      lead: html`${customer.name !== null && html`<bdi>${customer.name}</bdi> `}${marks(shown)}`,
      ...(may(visit.actor, "adjustment.goodwill") && {
        actions: html`<a class="button" href="${pathTo(`customers/${customer.id}/credit`)}">${text("credit.link")}</a>`
      }),
      ...outcome
    },
    html`<div class="two">
        ${facts(visit, shown)}
        ${card("wallets", text("customer.wallets"), text("customer.wallets_none"), wallets.length === 0, walletTable(wallets))}
      </div>
      ${careCard(visit, customer)} ${restrictionsCard(visit, shown)} ${listCard(visit, shown, "notes")}
      ${listCard(visit, shown, "orders")} ${listCard(visit, shown, "entries")} ${listCard(visit, shown, "payments")}
      ${moneyCards(visit, shown)} ${listCard(visit, shown, "keys")} ${listCard(visit, shown, "sessions")}
      ${listCard(visit, shown, "apps")} ${listCard(visit, shown, "notices")} ${listCard(visit, shown, "mails")}`
  )
}

/** A list of a customer, with more rows than the page of the customer. */
export const recordsPage = <L extends ListName>(
  visit: AdminVisit,
  customer: WholeCustomer["customer"],
  name: L,
  { items, next }: Part<RecordsOfLists[L]>
): Page => {
  const { none, show, title } = recordLists[name]
  const path = visit.pathTo(`customers/${customer.id}`)
  return adminPage(
    visit,
    { title, section: "customers", back: [path, customerName(customer)] },
    html`${items.length === 0 ? html`<p>${none}</p>` : show(visit, items)}
    ${next !== null && html`<p><a class="button small" href="${path}/${name}?after=${next}">${text("admin.next_page")}</a></p>`}`
  )
}
