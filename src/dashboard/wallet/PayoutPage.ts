import { area, field, type Faults, hidden } from "../../pages/Field.ts"
import { moment, usd } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import { table } from "../../pages/Table.ts"
import { isOpen, type Payout, type PayoutStatus } from "../../wallet/payouts/Payout.ts"
import type { PayoutOffer } from "../../wallet/payouts/Payouts.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { question } from "../desk/Question.ts"
import type { Visit } from "../desk/Visit.ts"

export interface PayoutView {
  readonly areOffered: boolean
  readonly offer: PayoutOffer
  /** True while the second factor is on. */
  readonly needsCode: boolean
  /** The newest requests. */
  readonly payouts: ReadonlyArray<Payout>
  /** The id that the next request gets. */
  readonly id: string
  readonly amount?: string | undefined
  readonly destination?: string | undefined
  readonly notice?: Content
  readonly faults?: Faults | undefined
}

const payoutStatusText = {
  requested: text("payout.requested"),
  approved: text("payout.approved"),
  sent: text("payout.sent"),
  declined: text("payout.declined"),
  cancelled: text("payout.cancelled")
} satisfies Record<PayoutStatus, Phrase>

const cancelling = (visit: Visit, { amount, id, status }: Payout): Content =>
  status === "requested" &&
  question(
    `cancel-${id}`,
    {
      button: text("payout.cancel_button"),
      title: text("payout.cancel_title", { price: usd(amount) }),
      about: text("payout.cancel_about"),
      keep: text("payout.keep_button"),
      className: "small danger"
    },
    visit.form(
      visit.pathTo(`wallet/payout/${id}/cancel`),
      html`<button class="danger">${text("payout.cancel_button")}</button>`
    )
  )

const listed = (visit: Visit, payouts: ReadonlyArray<Payout>): Html =>
  html`<section class="card" aria-labelledby="requests">
    <h2 id="requests">${text("payout.list_title")}</h2>
    ${table<Payout>(
      [
        {
          as: "name",
          head: text("payout.state"),
          cell: ({ customer_text, reference, status }) =>
            html`<b>${payoutStatusText[status]}</b>${
                reference !== null && html`<small>${text("payout.reference")}: <bdi>${reference}</bdi></small>`
              }${customer_text !== null && html`<small><bdi>${customer_text}</bdi></small>`}`
        },
        { head: text("payout.destination"), cell: ({ destination }) => html`<bdi>${destination ?? ""}</bdi>` },
        { head: text("wallet.time"), cell: ({ created_at }) => moment(created_at) },
        { as: "number", head: text("wallet.amount"), cell: ({ amount }) => usd(amount) },
        { as: "go", head: "", cell: (payout) => cancelling(visit, payout) }
      ],
      payouts
    )}
  </section>`

const form = (visit: Visit, { amount, destination, faults = {}, id, needsCode, offer }: PayoutView): Html =>
  html`<section class="card stack" aria-labelledby="ask">
    <h2 id="ask">${text("payout.form_title")}</h2>
    ${visit.form(
      visit.pathTo("wallet/payout"),
      html`${hidden("nonce", id)}
        ${field({
          name: "amount",
          label: text("topup.dollars"),
          hint: text("payout.amount_hint", { least: usd(offer.least), most: usd(offer.cash) }),
          autocomplete: "off",
          more: html` inputmode="decimal"`,
          value: amount,
          error: faults["amount"]
        })}
        ${area({
          name: "destination",
          label: text("payout.destination"),
          hint: text("payout.destination_hint"),
          value: destination,
          error: faults["destination"]
        })}
        ${field({
          name: "password",
          label: text("form.password"),
          type: "password",
          autocomplete: "current-password",
          error: faults["password"]
        })}
        ${
          needsCode &&
          field({
            name: "otp",
            label: text("code.code"),
            hint: text("code.hint"),
            autocomplete: "one-time-code",
            error: faults["otp"]
          })
        }
        <div><button class="primary">${text("payout.button")}</button></div>`,
      { class: "stack" }
    )}
  </section>`

/** Why the form is not there, or the form. */
const asking = (visit: Visit, view: PayoutView): Content => {
  const { areOffered, offer, payouts } = view
  if (!areOffered) return html`<p class="note">${text("failure.PayoutsOff")}</p>`
  if (payouts.some(isOpen)) return html`<p class="note">${text("payout.is_open")}</p>`
  if (!visit.user.email_verified)
    return html`<p class="note"><a href="${visit.pathTo("email")}">${text("payout.verify")}</a></p>`
  if (offer.cash < offer.least)
    return html`<p class="note">${text("payout.too_little", { least: usd(offer.least), most: usd(offer.cash) })}</p>`
  return form(visit, view)
}

/** The form that asks for paid money of the wallet, and the requests so far. */
export const payoutPage = (visit: Visit, view: PayoutView): Page =>
  deskPage(
    visit,
    {
      title: text("payout.title"),
      section: "wallet",
      back: [visit.pathTo("wallet"), text("desk.wallet")],
      lead: text("payout.about"),
      notice: view.notice,
      ...(view.faults !== undefined && { faults: view.faults })
    },
    html`${asking(visit, view)} ${view.payouts.length > 0 && listed(visit, view.payouts)}`
  )
