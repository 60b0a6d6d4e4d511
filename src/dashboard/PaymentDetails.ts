import { DateTime } from "effect"
import * as Money from "../platform/Money.ts"
import type { PaymentIntent } from "../wallet/PaymentIntent.ts"
import { type Html, escaped } from "./Html.ts"

/** The fields of a payment that its pages show. */
export type Payment = Pick<
  PaymentIntent,
  "id" | "purpose" | "payment_method" | "currency" | "amount" | "status" | "expires_at"
>

const methods = { crypto_gateway: "Crypto", card_gateway: "Card", messenger_stars: "Messenger stars" } as const

/** The texts after a payment and after a missed payment, by purpose. */
export const texts = {
  deposit: {
    what: "Wallet deposit",
    paid: "was added to your wallet. You can close this page.",
    again: "To try again, make a new deposit."
  },
  order: {
    what: "Proxy order",
    paid: "was paid, and we are setting up your proxies. You can close this page.",
    again: "To try again, place a new order."
  }
} as const

export const amountText = ({ amount, currency }: Payment): string =>
  currency === "USD" ? `$${Money.toDecimal(currency, amount)}` : `${amount} ${amount === 1n ? "star" : "stars"}`

const deadline = (time: DateTime.Utc): Html =>
  escaped`<dt>Pay until</dt>
    <dd>${DateTime.formatIso(time).slice(0, 16).replace("T", " ")} UTC</dd>`

export const details = (payment: Payment): Html =>
  escaped`<p class="amount">${amountText(payment)}</p>
    <dl>
      <dt>For</dt>
      <dd>${texts[payment.purpose].what}</dd>
      <dt>Method</dt>
      <dd>${methods[payment.payment_method]}</dd>
      ${payment.status === "pending" ? deadline(payment.expires_at) : []}
      <dt>Payment</dt>
      <dd>${payment.id}</dd>
    </dl>`

export const result = (heading: string, ...paragraphs: ReadonlyArray<Html | string>): Html =>
  escaped`<div role="status">
    <h1>${heading}</h1>
    ${paragraphs.map((text) => escaped`<p>${text}</p>`)}
  </div>`
