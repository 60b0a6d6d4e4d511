import type { PaymentIntent } from "../../wallet/PaymentIntent.ts"
import { type Html, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"
import { amountText, details, gatewayAddress, result, texts, type Way, waysOn } from "./PaymentDetails.ts"

/** The service credits a late payment to the wallet (docs/contract.md, "Payments from outside"). */
const late = text("payment.late")

const wayBack = (payment: PaymentIntent) => {
  const address = gatewayAddress(payment)
  return address === undefined
    ? []
    : [text("payment.way_back", { link: html`<a href="${address}">${text("payment.way_back_link")}</a>` })]
}

const known = (payment: PaymentIntent): Html => {
  const { again, paid } = texts[payment.purpose]
  switch (payment.status) {
    case "pending":
      return result(text("payment.waiting_title"), text("payment.waiting"), ...wayBack(payment))
    case "paid":
      return result(text("payment.received_title"), paid(amountText(payment)))
    case "failed":
      return result(text("payment.failed_title"), text("payment.failed", { again }), late)
    case "expired":
      return result(text("payment.expired_title"), text("payment.expired", { again }), late)
  }
}

/** Shows the state of a payment. A gateway sends the customer back to this page. */
export const paymentPage = (payment: PaymentIntent, ways: ReadonlyArray<Way>): Page =>
  page(text("payment.title"), html`${known(payment)}${details(payment)}${waysOn(ways)}`)

/** Leads on to the page of the gateway. The link is for browsers that do not follow. */
export const leadingPage = (payment: PaymentIntent, address: string): Page =>
  page(
    text("payment.title"),
    html`${result(text("payment.leading_title"), text("payment.leading"))}
      <p><a class="button primary" href="${address}">${text("payment.leading_link")}</a></p>
      ${details(payment)}`
  )
