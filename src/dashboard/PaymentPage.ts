import type { PaymentIntent } from "../wallet/PaymentIntent.ts"
import { type Html, escaped } from "./Html.ts"
import { page } from "./Layout.ts"
import { details, result, shown, texts } from "./PaymentDetails.ts"

/** What comes in all the same is credited (decisions section 5). */
const late = "If you have paid all the same, what you paid is added to your wallet. You can close this page."

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
        "It has not been reported to us yet. If you have paid, you can close this page: nothing is lost. It reloads itself.",
        ...wayBack(payment)
      )
    case "paid":
      return result("Payment received", `${shown(payment)} ${paid}`)
    case "failed":
      return result("Payment not made", `It was declined or cancelled; ${again}`, late)
    case "expired":
      return result("Payment expired", `It was not made in time; ${again}`, late)
  }
}

/** Where a gateway sends its customer back to: what is known of the payment. */
export const paymentPage = (payment: PaymentIntent): Html =>
  page("Payment", escaped`${known(payment)}${details(payment)}`)
