import { choices, field, type Faults, hidden } from "../../pages/Field.ts"
import { money } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import type { Currency } from "../../platform/Money.ts"
import { limits } from "../../wallet/payments/Deposit.ts"
import type { OfferedMethod } from "../../wallet/payments/OfferedMethod.ts"
import { currencyText } from "../desk/CurrencyText.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { methodText } from "../desk/MethodText.ts"
import type { Visit } from "../desk/Visit.ts"

export interface TopUp {
  /** The ways to pay that are switched on, in all currencies. */
  readonly methods: ReadonlyArray<OfferedMethod>
  readonly currency: Currency
  /** The amount as it was typed, or as a link proposed it. */
  readonly amount: string | undefined
  /** The chosen way to pay. */
  readonly method: string | undefined
  /** True when the card that pays can be saved. */
  readonly areCardsOffered: boolean
  readonly save_card: boolean
  /** The page that needs the payment, to which the page of the payment leads back. */
  readonly next: string | undefined
  /** Makes a form that is sent twice request one payment. */
  readonly nonce: string
  readonly faults?: Faults | undefined
}

const suggested = {
  USD: [10_000_000n, 25_000_000n, 50_000_000n, 100_000_000n],
  STAR: [100n, 500n, 1_000n, 5_000n]
} satisfies Record<Currency, ReadonlyArray<bigint>>

const bounds = (currency: Currency) => ({
  least: money(currency, limits[currency].minimum),
  most: money(currency, limits[currency].maximum)
})

/** Signs between groups of three digits, of any language. */
const thousands = /\d[.,'’\s]\d{3}(?!\d)/

/** Says what is wrong with an amount. */
export const amountFault = (currency: Currency, typed: string | undefined): Phrase => {
  if (thousands.test(typed ?? "")) return text("topup.amount_thousands")
  return currency === "USD"
    ? text("topup.amount_wrong_dollars", bounds(currency))
    : text("topup.amount_wrong_stars", bounds(currency))
}

/** An address of this page that keeps the page that needs the payment. */
const addressOf = ({ pathTo }: Visit, { next }: TopUp, chosen: Readonly<Record<string, string>>): string =>
  `${pathTo("wallet/top-up")}?${new URLSearchParams({ ...chosen, ...(next !== undefined && { next }) }).toString()}`

const currencies = (visit: Visit, topUp: TopUp): Content => {
  const { currency: chosen, methods } = topUp
  const offered = (["USD", "STAR"] as const).filter((one) => methods.some(({ currency }) => currency === one))
  return (
    offered.length > 1 &&
    html`<nav class="segments" id="currency" aria-label="${text("topup.currency")}">
      ${offered.map(
        (currency) =>
          html`<a href="${addressOf(visit, topUp, { currency })}" ${currency === chosen && html` aria-current="true"`}
            >${currencyText[currency]}</a
          >`
      )}
    </nav>`
  )
}

const suggestions = (visit: Visit, topUp: TopUp): Html => {
  const { currency } = topUp
  return html`<p class="row">
    <span class="quiet">${text("topup.suggested")}</span>
    ${suggested[currency].map(
      (amount) =>
        html`<a
          class="button small"
          href="${addressOf(visit, topUp, {
            currency,
            amount: String(currency === "USD" ? amount / 1_000_000n : amount)
          })}"
          >${money(currency, amount)}</a
        >`
    )}
  </p>`
}

const saving = ({ areCardsOffered, currency, faults = {}, methods, save_card }: TopUp): Content =>
  areCardsOffered &&
  methods.some((one) => one.currency === currency && one.payment_method === "card_gateway") &&
  choices({
    type: "checkbox",
    name: "save_card",
    label: text("autotopup.title"),
    error: faults["save_card"],
    chosen: save_card ? ["on"] : [],
    options: [{ value: "on", title: text("topup.save_card"), detail: text("topup.save_card_detail") }]
  })

const form = (visit: Visit, topUp: TopUp): Html => {
  const { amount, currency, faults = {}, next, nonce } = topUp
  const methods = topUp.methods.filter((one) => one.currency === currency)
  const isDollars = currency === "USD"
  return visit.form(
    visit.pathTo("wallet/top-up"),
    html`${hidden("nonce", nonce)}${hidden("currency", currency)}${next !== undefined && hidden("next", next)}
      ${field({
        name: "amount",
        label: isDollars ? text("topup.dollars") : text("topup.stars"),
        hint: isDollars
          ? text("topup.amount_hint_dollars", bounds(currency))
          : text("topup.amount_hint_stars", bounds(currency)),
        autocomplete: "off",
        more: html` inputmode="${isDollars ? "decimal" : "numeric"}"`,
        value: amount,
        error: faults["amount"]
      })}
      ${suggestions(visit, topUp)}
      ${choices({
        type: "radio",
        name: "payment_method",
        label: text("topup.method"),
        error: faults["payment_method"],
        chosen: [topUp.method ?? methods[0]?.payment_method ?? ""],
        options: methods.map(({ minimum, payment_method }) => ({
          value: payment_method,
          title: methodText[payment_method],
          ...(minimum > limits[currency].minimum && {
            detail: text("topup.at_least", { amount: money(currency, minimum) })
          })
        }))
      })}
      ${saving(topUp)}
      <p class="quiet">
        ${text("topup.about_payment")} <a href="${visit.pathTo("wallet/billing")}">${text("billing.link")}</a>
      </p>
      <div><button class="primary">${text("topup.button")}</button></div>`,
    { class: "stack" }
  )
}

/** The form that requests a payment into the wallet. */
export const topUpPage = (visit: Visit, topUp: TopUp): Page =>
  deskPage(
    visit,
    {
      title: text("topup.title"),
      section: "wallet",
      back: [visit.pathTo("wallet"), text("desk.wallet")],
      ...(topUp.faults !== undefined && { faults: topUp.faults })
    },
    topUp.methods.length === 0
      ? html`<p class="note">${text("topup.no_method")}</p>`
      : html`<section class="card stack" aria-labelledby="payment">
          <h2 id="payment">${text("topup.payment_title")}</h2>
          ${currencies(visit, topUp)} ${form(visit, topUp)}
        </section>`
  )
