import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Visit } from "../desk/Visit.ts"
import { gatewayAddress } from "./PaymentDetails.ts"

interface OpenPayment {
  readonly id: string
  readonly amount: Content
  readonly payment_url: string | null
  /** The path of the page that asks before the orders are cancelled. */
  readonly cancelPath: string
}

/** The ways on from orders that wait for a payment: pay them, see the state of the payment, or cancel them. */
export const paymentCard = ({ pathTo }: Visit, { amount, cancelPath, id, payment_url }: OpenPayment): Html => {
  const address = gatewayAddress({ payment_url })
  return html`<section class="card stack" aria-labelledby="payment">
    <h2 id="payment">${text("shop.payment_title")}</h2>
    <p>${text("shop.payment_about")}</p>
    <div class="row">
      ${address !== undefined && html`<a class="button primary" href="${address}">${text("shop.pay_button", { amount })}</a>`}
      <a class="button" href="${pathTo(`payments/${id}`)}">${text("shop.payment_link")}</a>
      <a href="${cancelPath}">${text("shop.cancel_link")}</a>
    </div>
  </section>`
}
