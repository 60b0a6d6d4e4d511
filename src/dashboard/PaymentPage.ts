import type { PaymentIntent } from "../wallet/PaymentIntent.ts"
import { type Html, escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"
import { amountText, details, result, texts } from "./PaymentDetails.ts"

/** The service credits a late payment to the wallet (docs/contract.md, "Payments from outside"). */
const late = "If you paid anyway, we add the amount to your wallet. You can close this page."

const isWebAddress = (text: string) => ["http:", "https:"].includes(URL.parse(text)?.protocol ?? "")

const wayBack = ({ payment_url }: PaymentIntent) =>
  payment_url !== null && isWebAddress(payment_url)
    ? [escaped`If you have not paid yet, <a href="${payment_url}">go back to the payment</a>.`]
    : []

const known = (payment: PaymentIntent): Html => {
  const { again, paid } = texts[payment.purpose]
  switch (payment.status) {
    case "pending":
      return result(
        "Waiting for the payment",
        "We have not received the payment yet. This page reloads automatically. If you have paid, you can close this page: your payment is safe.",
        ...wayBack(payment)
      )
    case "paid":
      return result("Payment received", `${amountText(payment)} ${paid}`)
    case "failed":
      return result("Payment not made", `The payment was declined or cancelled. ${again}`, late)
    case "expired":
      return result("Payment expired", `We did not receive the payment in time. ${again}`, late)
  }
}

/** Shows the state of a payment. A gateway sends the customer back to this page. */
export const paymentPage = (payment: PaymentIntent): Page =>
  page("Payment", escaped`${known(payment)}${details(payment)}`)
