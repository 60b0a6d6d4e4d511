import type { SandboxPayment } from "../../wallet/SandboxPayment.ts"
import { type Html, html, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"
import { amountText, details, result, texts, type Way, waysOn } from "./PaymentDetails.ts"

const note = html`<p class="note">${text("payment.sandbox")}</p>`

const form = html`<form method="post">
  <button class="primary" name="outcome" value="paid">${text("payment.pay_button")}</button>
  <button name="outcome" value="declined">${text("payment.decline_button")}</button>
</form>`

const settled = (payment: SandboxPayment): Html => {
  const { again, paid, soon } = texts[payment.purpose]
  if (payment.status === "paid") return result(text("payment.complete_title"), paid(amountText(payment)))
  if (payment.is_charged) return result(text("payment.paid_late_title"), text("payment.paid_late"))
  if (payment.outcome === "paid") return result(text("payment.soon_title"), soon)
  if (payment.status === "expired") return result(text("payment.expired_title"), text("payment.not_in_time", { again }))
  const isDeclined = payment.outcome === "declined"
  return result(
    isDeclined ? text("payment.declined_title") : text("payment.cancelled_title"),
    text("payment.not_charged", { again })
  )
}

/** Lets a person pay or decline a sandbox payment, and shows its result. */
export const paymentPage = (payment: SandboxPayment, ways: ReadonlyArray<Way>): Page =>
  payment.status === "pending" && payment.outcome === null
    ? page(
        text("payment.pay_title"),
        html`${note}
          <h1>${text("payment.pay")}</h1>
          ${details(payment)}${form}`
      )
    : page(text("payment.pay_title"), html`${note}${settled(payment)}${details(payment)}${waysOn(ways)}`)
