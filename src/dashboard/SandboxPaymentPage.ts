import { DateTime } from "effect"
import * as Money from "../platform/Money.ts"
import type { SandboxPayment } from "../wallet/SandboxPayment.ts"
import { type Html, escaped } from "./Html.ts"
import { page } from "./Layout.ts"

const methods = { crypto_gateway: "Crypto", card_gateway: "Card", messenger_stars: "Messenger stars" } as const

const texts = {
  deposit: {
    what: "Wallet deposit",
    paid: "was added to your wallet. You can close this page.",
    soon: "It is added to your wallet within a minute; reload this page to see it.",
    again: "make a new deposit to try again."
  },
  order: {
    what: "Proxy order",
    paid: "was paid and your proxies are being set up. You can close this page.",
    soon: "Your order is paid within a minute; reload this page to see it.",
    again: "place a new order to try again."
  }
} as const

const note = escaped`<p class="note">Sandbox: no real money moves</p>`

const shown = ({ amount, currency }: SandboxPayment): string =>
  currency === "USD" ? `$${Money.toDecimal(currency, amount)}` : `${amount} ${amount === 1n ? "star" : "stars"}`

const deadline = (time: DateTime.Utc): Html =>
  escaped`<dt>Pay until</dt>
    <dd>${DateTime.formatIso(time).slice(0, 16).replace("T", " ")} UTC</dd>`

const details = (payment: SandboxPayment): Html =>
  escaped`<p class="amount">${shown(payment)}</p>
    <dl>
      <dt>For</dt>
      <dd>${texts[payment.purpose].what}</dd>
      <dt>Method</dt>
      <dd>${methods[payment.payment_method]}</dd>
      ${payment.status === "pending" ? deadline(payment.expires_at) : []}
      <dt>Payment</dt>
      <dd>${payment.id}</dd>
    </dl>`

const form = escaped`<form method="post">
  <button class="primary" name="outcome" value="paid">Pay</button>
  <button name="outcome" value="declined">Decline</button>
</form>`

const result = (heading: string, text: string): Html =>
  escaped`<div role="status">
    <h1>${heading}</h1>
    <p>${text}</p>
  </div>`

const settled = (payment: SandboxPayment): Html => {
  const { again, paid, soon } = texts[payment.purpose]
  if (payment.status === "paid") return result("Payment complete", `${shown(payment)} ${paid}`)
  if (payment.is_charged)
    return result(
      "Paid late",
      "The payment had ended before, so what was paid was added to your wallet as a deposit of its own."
    )
  if (payment.outcome === "paid") return result("Payment on its way", soon)
  if (payment.status === "expired")
    return result("Payment expired", `It was not made in time. Nothing was charged; ${again}`)
  return result("Payment declined", `Nothing was charged; ${again}`)
}

/** The page where a sandbox payment is paid or declined, and how it ended. */
export const paymentPage = (payment: SandboxPayment): Html =>
  payment.status === "pending" && payment.outcome === null
    ? page("Sandbox payment", escaped`${note}<h1>Confirm your payment</h1>${details(payment)}${form}`)
    : page("Sandbox payment", escaped`${note}${settled(payment)}${details(payment)}`)

export const paymentNotFound: Html = page(
  "Payment not found",
  escaped`<h1>Payment not found</h1>
    <p>There is no payment at this address. Check the link, or start again.</p>`
)

export const choiceInvalid: Html = page(
  "Choose how to go on",
  escaped`<h1>Choose how to go on</h1>
    <p>Go back to the payment, then choose Pay or Decline. Nothing was changed.</p>`
)
