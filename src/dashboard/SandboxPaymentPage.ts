import type { SandboxPayment } from "../wallet/SandboxPayment.ts"
import { type Html, escaped } from "./Html.ts"
import { type Page, page } from "./Layout.ts"
import { amountText, details, result, texts } from "./PaymentDetails.ts"

const soon = {
  deposit: "We add it to your wallet within a minute. Reload this page to see it.",
  order: "We mark your order as paid within a minute. Reload this page to see it."
} as const

const note = escaped`<p class="note">Sandbox: no real money moves</p>`

const form = escaped`<form method="post">
  <button class="primary" name="outcome" value="paid">Pay</button>
  <button name="outcome" value="declined">Decline</button>
</form>`

const settled = (payment: SandboxPayment): Html => {
  const { again, paid } = texts[payment.purpose]
  if (payment.status === "paid") return result("Payment complete", `${amountText(payment)} ${paid}`)
  if (payment.is_charged)
    return result(
      "Paid late",
      "The payment had already ended, so we added the amount to your wallet as a separate deposit."
    )
  if (payment.outcome === "paid") return result("Payment on its way", soon[payment.purpose])
  if (payment.status === "expired")
    return result("Payment expired", `You did not pay in time. Nothing was charged. ${again}`)
  const how = payment.outcome === "declined" ? "declined" : "cancelled"
  return result(`Payment ${how}`, `Nothing was charged. ${again}`)
}

/** Lets a person pay or decline a sandbox payment, and shows its result. */
export const paymentPage = (payment: SandboxPayment): Page =>
  payment.status === "pending" && payment.outcome === null
    ? page("Sandbox payment", escaped`${note}<h1>Confirm your payment</h1>${details(payment)}${form}`)
    : page("Sandbox payment", escaped`${note}${settled(payment)}${details(payment)}`)
