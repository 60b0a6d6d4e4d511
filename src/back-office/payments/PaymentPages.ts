import { area, type Faults, hidden } from "../../pages/Field.ts"
import { moment, money } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { may } from "../../staff/Actor.ts"
import type { CallbackBody, PaymentWithRecords } from "../../staff/payments/StaffPayment.ts"
import { adminPage } from "../desk/AdminPage.ts"
import type { AdminVisit } from "../desk/AdminVisit.ts"
import { customerName } from "../desk/CustomerName.ts"
import { shortId } from "../desk/ShortId.ts"
import { methodText, paymentState } from "../desk/StateText.ts"

const fact = (name: Phrase, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

const code = (value: string): Html => html`<code>${value}</code>`

const facts = ({ pathTo }: AdminVisit, { orders, payment }: PaymentWithRecords): Html =>
  html`<section class="card">
    <dl class="facts">
      ${fact(text("customer.amount"), html`<b>${money(payment.currency, payment.amount)}</b>`)}
      ${fact(text("staff_payment.method"), methodText(payment.payment_method))}
      ${fact(text("staff_payment.purpose"), payment.purpose === "deposit" ? text("staff_payment.deposit") : text("staff_payment.order"))}
      ${
        orders.length > 0 &&
        fact(
          text("staff_payment.orders"),
          orders.map(
            ({ id, status }) =>
              html`<a href="${pathTo(`orders/${id}`)}">${text("customer.order")} ${shortId(id)}</a>
                <small>${code(status)}</small> `
          )
        )
      }
      ${fact(text("customers.customer"), html`<a href="${pathTo(`customers/${payment.user_id}`)}">${customerName({ email: payment.email, id: payment.user_id })}</a>`)}
      ${fact(text("customer.id"), code(payment.id))}
      ${payment.external_reference !== null && fact(text("staff_payment.reference"), code(payment.external_reference))}
      ${fact(text("customer.created"), moment(payment.created_at))}
      ${payment.status === "pending" && fact(text("staff_payment.expires"), moment(payment.expires_at))}
    </dl>
  </section>`

const card = (id: string, title: Phrase, content: Content): Html =>
  html`<section class="card stack" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`

/** The time and the amount of a record. */
const when = <A extends { readonly created_at: PaymentWithRecords["payment"]["created_at"] }>() => ({
  head: text("admin.time"),
  label: text("admin.time"),
  cell: ({ created_at }: A) => moment(created_at)
})

const amountOf = <A extends Pick<PaymentWithRecords["payment"], "amount" | "currency">>() => ({
  head: text("customer.amount"),
  label: text("customer.amount"),
  as: "number" as const,
  cell: ({ amount, currency }: A) => money(currency, amount)
})

type Charge = PaymentWithRecords["charges"][number]
type Call = PaymentWithRecords["callbacks"][number]
type Refund = PaymentWithRecords["refunds"][number]
type Reversal = PaymentWithRecords["reversals"][number]

const chargeTable = (charges: ReadonlyArray<Charge>): Html =>
  table<Charge>(
    [
      { head: text("staff_payment.charge"), as: "name", cell: ({ charge_id }) => code(charge_id) },
      {
        head: text("staff_payment.entry"),
        label: text("staff_payment.entry"),
        cell: ({ transaction_id }) => html`<small>${code(transaction_id)}</small>`
      },
      when<Charge>(),
      amountOf<Charge>()
    ],
    charges
  )

const callTable = ({ actor, pathTo }: AdminVisit, calls: ReadonlyArray<Call>): Html =>
  table<Call>(
    [
      { head: text("staff_payment.callback"), as: "name", cell: ({ id }) => html`<small>${code(id)}</small>` },
      {
        head: text("staff_payment.verdict"),
        label: text("staff_payment.verdict"),
        cell: ({ outcome }) => code(outcome)
      },
      { head: text("admin.time"), label: text("admin.time"), cell: ({ received_at }) => moment(received_at) },
      {
        head: "",
        as: "go",
        cell: ({ id }) =>
          may(actor, "payment.body") &&
          html`<a href="${pathTo(`payment-callbacks/${id}`)}">${text("staff_payment.raw")}</a>`
      }
    ],
    calls
  )

const refundTable = ({ pathTo }: AdminVisit, refunds: ReadonlyArray<Refund>): Html =>
  table<Refund>(
    [
      {
        head: text("customer.order"),
        as: "name",
        cell: ({ order_id }) =>
          order_id !== null &&
          html`<a href="${pathTo(`orders/${order_id}`)}">${text("customer.order")} ${shortId(order_id)}</a>`
      },
      {
        head: text("admin.state"),
        label: text("admin.state"),
        cell: ({ failure, status }) => html`${code(status)} <small>${failure ?? ""}</small>`
      },
      when<Refund>(),
      amountOf<Refund>()
    ],
    refunds
  )

const reversalTable = (reversals: ReadonlyArray<Reversal>): Html =>
  table<Reversal>(
    [
      { head: text("customer.reference"), as: "name", cell: ({ reversal_id }) => code(reversal_id) },
      {
        head: text("admin.state"),
        label: text("admin.state"),
        cell: ({ kind, status }) => code(`${kind} ${status}`)
      },
      when<Reversal>(),
      amountOf<Reversal>()
    ],
    reversals
  )

/** One payment: what was asked for, what arrived, what its gateway reported, and what went back. */
export const paymentPage = (visit: AdminVisit, found: PaymentWithRecords, notice?: Content): Page => {
  const { callbacks, charges, payment, refunds, reversals } = found
  const { actor, pathTo } = visit
  return adminPage(
    visit,
    {
      title: text("staff_payment.one", { id: shortId(payment.id) }),
      section: "payments",
      back: [pathTo("payments"), text("staff_payment.title")],
      lead: paymentState(payment.status),
      ...(may(actor, "payment.look_up") && {
        actions: html`<a class="button" href="${pathTo(`payments/${payment.id}/look-up`)}"
          >${text("staff_payment.look_up")}</a
        >`
      }),
      notice
    },
    html`${facts(visit, found)}
    ${card("charges", text("staff_payment.charges"), charges.length === 0 ? html`<p>${text("staff_payment.charges_none")}</p>` : chargeTable(charges))}
    ${card("calls", text("staff_payment.callbacks"), callbacks.length === 0 ? html`<p>${text("staff_payment.callbacks_none")}</p>` : callTable(visit, callbacks))}
    ${refunds.length > 0 && card("refunds", text("staff_payment.refunds"), refundTable(visit, refunds))}
    ${reversals.length > 0 && card("reversals", text("staff_payment.reversals"), reversalTable(reversals))}`
  )
}

interface Typed {
  readonly faults?: Faults
  readonly field?: (name: string) => string | undefined
}

/** The form that asks the gateway. */
export const lookUpPage = (
  visit: AdminVisit,
  found: PaymentWithRecords,
  key: string,
  { faults = {}, field: value = () => undefined }: Typed = {}
): Page => {
  const { id } = found.payment
  return adminPage(
    visit,
    {
      title: text("staff_payment.look_up"),
      section: "payments",
      back: [visit.pathTo(`payments/${id}`), text("staff_payment.one", { id: shortId(id) })],
      lead: text("staff_payment.look_up_about"),
      faults
    },
    html`${facts(visit, found)}
      <section class="card">
        ${visit.form(
          visit.pathTo(`payments/${id}/look-up`),
          html`${hidden("key", key)}
            <div class="stack">
              ${area({ name: "reason", label: text("admin.reason"), hint: text("admin.reason_hint"), rows: 2, value: value("reason"), error: faults["reason"] })}
              <div><button class="primary">${text("staff_payment.look_up")}</button></div>
            </div>`
        )}
      </section>`
  )
}

/** The body of a callback as its gateway sent it. */
export const callbackPage = (
  visit: AdminVisit,
  { body, id, outcome, payment_intent_id, payment_method, received_at }: CallbackBody
): Page =>
  adminPage(
    visit,
    {
      title: text("staff_payment.raw_title"),
      section: "payments",
      back:
        payment_intent_id === null
          ? [visit.pathTo("payments"), text("staff_payment.title")]
          : [
              visit.pathTo(`payments/${payment_intent_id}`),
              text("staff_payment.one", { id: shortId(payment_intent_id) })
            ],
      lead: text("staff_payment.raw_about")
    },
    html`<section class="card stack">
      <dl class="facts">
        ${fact(text("customer.id"), code(id))} ${fact(text("staff_payment.method"), methodText(payment_method))}
        ${fact(text("staff_payment.verdict"), code(outcome))} ${fact(text("admin.time"), moment(received_at))}
      </dl>
      <pre><code>${body}</code></pre>
    </section>`
  )
