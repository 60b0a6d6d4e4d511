import { DateTime } from "effect"
import * as Money from "../platform/Money.ts"
import type { PaymentIntent } from "../wallet/PaymentIntent.ts"
import { type Html, escaped } from "./Html.ts"

/** What every page about a payment reads of it. */
export type Payment = Pick<
  PaymentIntent,
  "id" | "purpose" | "payment_method" | "currency" | "amount" | "status" | "expires_at"
>

const methods = { crypto_gateway: "Crypto", card_gateway: "Card", messenger_stars: "Messenger stars" } as const

/** What is said to whoever paid, and to whoever did not. */
export const texts = {
  deposit: {
    what: "Wallet deposit",
    paid: "was added to your wallet. You can close this page.",
    again: "make a new deposit to try again."
  },
  order: {
    what: "Proxy order",
    paid: "was paid and your proxies are being set up. You can close this page.",
    again: "place a new order to try again."
  }
} as const

export const shown = ({ amount, currency }: Payment): string =>
  currency === "USD" ? `$${Money.toDecimal(currency, amount)}` : `${amount} ${amount === 1n ? "star" : "stars"}`

const deadline = (time: DateTime.Utc): Html =>
  escaped`<dt>Pay until</dt>
    <dd>${DateTime.formatIso(time).slice(0, 16).replace("T", " ")} UTC</dd>`

export const details = (payment: Payment): Html =>
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

export const result = (heading: string, ...paragraphs: ReadonlyArray<Html | string>): Html =>
  escaped`<div role="status">
    <h1>${heading}</h1>
    ${paragraphs.map((text) => escaped`<p>${text}</p>`)}
  </div>`
