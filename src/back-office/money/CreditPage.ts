import { choices, field, hidden, select } from "../../pages/Field.ts"
import { money } from "../../pages/Format.ts"
import { html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { type Actor, may } from "../../staff/Actor.ts"
import type { WholeCustomer } from "../../staff/customers/Customer.ts"
import type { NewAdjustment } from "../../staff/money/StaffAdjustments.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerName } from "../desk/CustomerName.ts"
import { reasonFields, type Typed } from "../desk/MoneyFields.ts"

const kinds = {
  goodwill: [text("credit.goodwill"), text("credit.goodwill_about")],
  credit: [text("credit.credit"), text("credit.credit_about")],
  debit: [text("credit.debit"), text("credit.debit_about")]
} as const satisfies Record<NewAdjustment["kind"], readonly [Phrase, Phrase]>

/** The kinds that the form offers: those for which the person has the right. */
const offered = (actor: Actor["Service"]) =>
  (Object.keys(kinds) as ReadonlyArray<NewAdjustment["kind"]>).filter((kind) =>
    may(actor, kind === "goodwill" ? "adjustment.goodwill" : "adjustment.correct")
  )

/** The form that credits or debits a customer. */
export const creditPage = (
  visit: AdminVisit,
  { customer, wallets }: WholeCustomer,
  key: string,
  typed: Typed = {}
): Page => {
  const { faults = {}, field: value = () => undefined } = typed
  const path = visit.pathTo(`customers/${customer.id}/credit`)
  const balances = wallets.map(({ balance, currency }, index) => html`${index > 0 && ", "}${money(currency, balance)}`)
  return adminPage(
    visit,
    {
      title: text("credit.title"),
      section: "customers",
      back: [visit.pathTo(`customers/${customer.id}`), customerName(customer)],
      lead: balances.length === 0 ? text("customer.wallets_none") : text("credit.balance", { balances }),
      faults
    },
    html`<section class="card">
      ${visit.form(
        path,
        html`<div class="stack">
          ${choices({
            name: "kind",
            type: "radio",
            label: text("credit.kind"),
            chosen: [value("kind") ?? "goodwill"],
            error: faults["kind"],
            options: offered(visit.actor).map((kind) => ({
              value: kind,
              title: kinds[kind][0],
              detail: kinds[kind][1]
            }))
          })}
          <div class="two">
            ${field({ name: "amount", label: text("customer.amount"), hint: text("credit.amount_hint"), autocomplete: "off", value: value("amount"), error: faults["amount"] })}
            ${select({
              name: "currency",
              label: text("wallet.currency"),
              value: value("currency") ?? "USD",
              error: faults["currency"],
              options: [
                ["USD", text("wallet.dollars")],
                ["STAR", text("wallet.stars")]
              ]
            })}
          </div>
          ${value("order_id") !== undefined && hidden("order_id", value("order_id") ?? "")} ${reasonFields(typed, key)}
          <p class="quiet">${text("money.limits_about")}</p>
          <div><button class="primary">${text("credit.button")}</button></div>
        </div>`
      )}
    </section>`
  )
}
