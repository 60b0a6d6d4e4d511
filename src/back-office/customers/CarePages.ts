import { area, hidden } from "../../pages/Field.ts"
import { money, number } from "../../pages/Format.ts"
import { type Content, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import type { WholeCustomer } from "../../staff/customers/Customer.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerName } from "../desk/CustomerName.ts"
import type { Typed } from "../desk/MoneyFields.ts"

interface Form {
  /** The name of the page in its path. */
  readonly name: string
  readonly title: Phrase
  readonly about: Phrase
  readonly field: Content
  readonly button: Content
  readonly more?: Content
}

const formPage = (visit: AdminVisit, { customer }: WholeCustomer, key: string, typed: Typed, form: Form): Page => {
  const path = visit.pathTo(`customers/${customer.id}`)
  return adminPage(
    visit,
    {
      title: form.title,
      section: "customers",
      back: [path, customerName(customer)],
      lead: form.about,
      faults: typed.faults ?? {}
    },
    html`<section class="card stack">
      ${form.more}
      ${visit.form(
        `${path}/${form.name}`,
        html`${hidden("key", key)}
          <div class="stack">
            ${form.field}
            <div>${form.button}</div>
          </div>`
      )}
    </section>`
  )
}

const reason = ({ faults = {}, field = () => undefined }: Typed) =>
  area({
    name: "reason",
    label: text("admin.reason"),
    hint: text("admin.reason_hint"),
    value: field("reason"),
    error: faults["reason"]
  })

/** The form of a note about a customer. */
export const notePage = (visit: AdminVisit, whole: WholeCustomer, key: string, typed: Typed = {}): Page =>
  formPage(visit, whole, key, typed, {
    name: "note",
    title: text("care.note_title"),
    about: text("care.note_about"),
    field: area({
      name: "text",
      label: text("care.note"),
      rows: 6,
      value: typed.field?.("text"),
      error: typed.faults?.["text"]
    }),
    button: html`<button class="primary">${text("care.note_button")}</button>`
  })

/** The form that signs a customer out everywhere. */
export const signOutPage = (visit: AdminVisit, whole: WholeCustomer, key: string, typed: Typed = {}): Page =>
  formPage(visit, whole, key, typed, {
    name: "sign-out",
    title: text("care.sign_out_title"),
    about: text("care.sign_out_about"),
    field: reason(typed),
    button: html`<button class="primary">${text("care.sign_out_button")}</button>`,
    more: html`<dl class="facts">
      <dt>${text("customer.sessions")}</dt>
      <dd>${number(whole.customer.sessions)}</dd>
      <dt>${text("customer.apps")}</dt>
      <dd>${number(whole.customer.connections)}</dd>
    </dl>`
  })

/** The form that downloads everything about a customer. */
export const customerExportPage = (visit: AdminVisit, whole: WholeCustomer, key: string, typed: Typed = {}): Page =>
  formPage(visit, whole, key, typed, {
    name: "export",
    title: text("care.export_title"),
    about: text("care.export_about"),
    field: reason(typed),
    button: html`<button class="primary" data-file>${text("care.export_button")}</button>`
  })

/** Says what ends with the account of a customer, and the form that erases it. */
export const erasePage = (visit: AdminVisit, whole: WholeCustomer, key: string, typed: Typed = {}): Page =>
  formPage(visit, whole, key, typed, {
    name: "erase",
    title: text("care.erase_title"),
    about: text("care.erase_about"),
    field: reason(typed),
    button: html`<button class="danger">${text("care.erase_button")}</button>`,
    more: html`<dl class="facts">
        <dt>${text("care.lost_money")}</dt>
        <dd>
          ${whole.wallets.map(({ balance, currency }, index) => html`${index > 0 && html`<br />`}<b>${money(currency, balance)}</b>`)}
          ${whole.wallets.length === 0 && text("customer.wallets_none")}
        </dd>
        <dt>${text("care.lost_proxies")}</dt>
        <dd><b>${number(whole.customer.live_orders)}</b></dd>
        <dt>${text("customer.keys")}</dt>
        <dd>${number(whole.customer.api_keys)}</dd>
      </dl>
      <p>${text("care.erased")}</p>
      <p class="quiet">${text("care.kept")}</p>`
  })
