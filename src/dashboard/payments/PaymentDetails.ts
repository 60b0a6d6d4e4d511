import type { DateTime } from "effect"
import type { PaymentIntent } from "../../wallet/PaymentIntent.ts"
import { moment, money } from "../../pages/Format.ts"
import { type Content, type Html, type Phrase, html, text } from "../../pages/Html.ts"

/** The fields of a payment that its pages show. */
export type Payment = Pick<
  PaymentIntent,
  "id" | "purpose" | "payment_method" | "currency" | "amount" | "status" | "expires_at"
>

const methods = {
  crypto_gateway: text("payment.crypto_gateway"),
  card_gateway: text("payment.card_gateway"),
  messenger_stars: text("payment.messenger_stars")
} as const

/** The texts after a payment and after a missed payment, by purpose. */
export const texts = {
  deposit: {
    what: text("payment.for_deposit"),
    paid: (amount: Content) => text("payment.deposit_paid", { amount }),
    again: text("payment.deposit_again"),
    soon: text("payment.deposit_soon")
  },
  order: {
    what: text("payment.for_order"),
    paid: (amount: Content) => text("payment.order_paid", { amount }),
    again: text("payment.order_again"),
    soon: text("payment.order_soon")
  }
} as const

export const amountText = ({ amount, currency }: Payment): Phrase => money(currency, amount)

const deadline = (time: DateTime.Utc): Html =>
  html`<dt>${text("payment.until")}</dt>
    <dd>${moment(time)}</dd>`

export const details = (payment: Payment): Html =>
  html`<p class="amount">${amountText(payment)}</p>
    <dl>
      <dt>${text("payment.for")}</dt>
      <dd>${texts[payment.purpose].what}</dd>
      <dt>${text("payment.method")}</dt>
      <dd>${methods[payment.payment_method]}</dd>
      ${payment.status === "pending" ? deadline(payment.expires_at) : []}
      <dt>${text("payment.id")}</dt>
      <dd>${payment.id}</dd>
    </dl>`

/** The address of a payment page at a gateway; undefined when it is not a web page. */
export const gatewayAddress = ({ payment_url }: Pick<PaymentIntent, "payment_url">): string | undefined => {
  const url = payment_url === null ? null : URL.parse(payment_url)
  return url !== null && ["http:", "https:"].includes(url.protocol) ? url.href : undefined
}

/** A page to which a payment leads. */
export interface Way {
  readonly path: string
  readonly label: Phrase
}

/** The links of the page of a payment: the first is the usual next step. */
export const waysOn = (ways: ReadonlyArray<Way>): Content =>
  ways.map(
    ({ label, path }, index) =>
      html`<p>
        ${index === 0 ? html`<a class="button" href="${path}">${label}</a>` : html`<a href="${path}">${label}</a>`}
      </p>`
  )

export const result = (heading: Phrase, ...paragraphs: ReadonlyArray<Content>): Html =>
  html`<div role="status">
    <h1>${heading}</h1>
    ${paragraphs.map((said) => html`<p>${said}</p>`)}
  </div>`
