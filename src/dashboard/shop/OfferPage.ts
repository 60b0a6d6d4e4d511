import type { Offer, OfferOption } from "../../catalog/Offer.ts"
import type { Quote } from "../../orders/checkout/OrderPlacement.ts"
import { choices, type Faults, field, type Option, select } from "../../pages/Field.ts"
import { money, usd } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import type { PaymentMethod } from "../../wallet/PaymentMethod.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { periodText } from "../desk/PeriodText.ts"
import type { Visit } from "../desk/Visit.ts"
import { addressOf, currencyWith, isByTariff, isFromWallet, PayWith, type Typed } from "./OfferForm.ts"
import { about, citiesOf, stock, traffic } from "./OfferWords.ts"
import { type Funds, missingFor, shortage, sums, walletAfter } from "./Price.ts"

export interface OfferChoice {
  readonly offer: Offer
  readonly typed: Typed
  /** The price of the choice; undefined while the choice has a fault. */
  readonly quote: Quote | undefined
  readonly faults: Faults
  readonly funds: Funds
  /** The ways to pay from outside that are switched on. */
  readonly methods: ReadonlyArray<PaymentMethod>
}

/** Limit of the cities in a list to choose from; a person types one of more cities. */
const citiesInList = 300

const prices = ({ prices: { STAR, USD } }: OfferOption): Content => [
  USD !== null && money("USD", USD),
  STAR !== null && html`<br /><small>${money("STAR", STAR)}</small>`
]

const isSoldIn = ({ options }: Offer, way: PayWith) => options.some(({ prices }) => prices[currencyWith(way)] !== null)

const options = ({ faults, offer, quote, typed }: OfferChoice): Html => {
  const name = isByTariff(offer) ? "tarification_index" : "period_days"
  const valueOf = ({ period_days }: OfferOption, index: number) => String(isByTariff(offer) ? index : period_days)
  const values = offer.options.map(valueOf)
  const chosen = typed.field(name) ?? (quote === undefined ? undefined : String(quote.terms.option.period_days))
  return choices({
    type: "radio",
    name,
    label: isByTariff(offer) ? text("shop.tariff") : text("shop.period"),
    submits: true,
    chosen: chosen === undefined ? [] : [chosen],
    error: faults[name],
    options: offer.options.flatMap((option, index) => {
      const value = valueOf(option, index)
      // A period chooses the first option that has it.
      if (values.indexOf(value) !== index) return []
      return [{ value, title: periodText(option), detail: traffic(option), aside: prices(option) }]
    })
  })
}

const quantity = ({ faults, typed }: OfferChoice): Html =>
  field({
    name: "quantity",
    label: text("shop.quantity"),
    type: "number",
    autocomplete: "off",
    value: typed.field("quantity"),
    error: faults["quantity"],
    more: html` min="1" max="100" inputmode="numeric" data-submit`
  })

const bandwidth = ({ faults, offer, typed }: OfferChoice): Content => {
  const perGb = offer.price_per_gb.USD
  if (perGb === null || offer.options.every(({ bandwidth_gb }) => bandwidth_gb === null)) return undefined
  return field({
    name: "bandwidth_gb",
    label: text("shop.traffic"),
    hint: text("shop.traffic_hint", { price: usd(perGb) }),
    type: "number",
    autocomplete: "off",
    optional: true,
    value: typed.field("bandwidth_gb"),
    error: faults["bandwidth_gb"],
    more: html` min="1" max="100000" inputmode="numeric" data-submit`
  })
}

const city = ({ faults, offer, typed }: OfferChoice): Content => {
  const cities = citiesOf(offer)
  const error = faults["city"]
  const shared = { name: "city", label: text("shop.city"), value: typed.field("city"), error }
  // A city of the address that the offer does not have still needs its fault.
  if (cities.length === 0 && error === undefined) return undefined
  if (cities.length > citiesInList)
    return field({
      ...shared,
      hint: text("shop.city_hint"),
      autocomplete: "off",
      optional: true,
      more: html` maxlength="100" data-submit`
    })
  const listed = cities.map((city): Option => [city, city])
  return select({ ...shared, submits: true, options: [["", text("shop.any_city")], ...listed] })
}

const protocol = ({ faults, offer: { protocols }, quote, typed }: OfferChoice): Html =>
  select({
    name: "protocol",
    label: text("shop.protocol"),
    hint: text("shop.protocol_hint"),
    value: typed.field("protocol") ?? quote?.terms.protocol,
    error: faults["protocol"],
    options: protocols.map((protocol): Option => [protocol, protocol])
  })

const promoCode = ({ faults, typed }: OfferChoice): Html =>
  field({
    name: "promo_code",
    label: text("shop.promo_code"),
    autocomplete: "off",
    optional: true,
    value: typed.field("promo_code"),
    error: faults["promo_code"],
    more: html` maxlength="100" data-submit`
  })

/** The titles of the ways to pay. */
export const wayTitles = {
  wallet: text("shop.pay_wallet"),
  wallet_stars: text("shop.pay_wallet_stars"),
  card_gateway: text("payment.card_gateway"),
  crypto_gateway: text("payment.crypto_gateway"),
  messenger_stars: text("payment.messenger_stars")
} satisfies Record<PayWith, Content>

const payWith = ({ faults, funds, methods, offer, typed }: OfferChoice): Html => {
  const isOn = (way: PayWith) =>
    way === "wallet" || (way === "wallet_stars" ? funds.STAR > 0n : methods.some((method) => method === way))
  return choices({
    type: "radio",
    name: "pay_with",
    label: text("shop.pay_with"),
    submits: true,
    chosen: typed.all("pay_with"),
    error: faults["pay_with"],
    options: PayWith.literals
      .filter((way) => isOn(way) && isSoldIn(offer, way))
      .map((way) => ({
        value: way,
        title: wayTitles[way],
        detail: isFromWallet(way)
          ? text("shop.you_have", { amount: money(currencyWith(way), funds[currencyWith(way)]) })
          : text("shop.pay_outside")
      }))
  })
}

const autoRenew = ({ faults, typed }: OfferChoice): Html =>
  choices({
    type: "checkbox",
    name: "auto_renew",
    label: text("shop.afterwards"),
    chosen: typed.all("auto_renew"),
    error: faults["auto_renew"],
    options: [{ value: "on", title: text("shop.auto_renew"), detail: text("shop.auto_renew_detail") }]
  })

const fault = (name: string, said: Content): Html =>
  html`<p class="error">${name === "" ? said : html`<a href="#${name}">${said}</a>`}</p>`

/** The price of the choice, or what is wrong with it. */
const price = (visit: Visit, { faults, funds, offer, quote, typed }: OfferChoice): Html => {
  const way = PayWith.literals.find((way) => way === typed.field("pay_with")) ?? "wallet"
  const missing = quote === undefined ? 0n : missingFor(quote, way, funds)
  return html`<div class="stack" id="quote" data-part aria-live="polite">
    ${
      quote === undefined
        ? html`<p>${text("shop.no_price")}</p>
            ${Object.entries(faults).map(([name, said]) => fault(name, said))}`
        : html`${sums(quote)} ${walletAfter(quote, way, funds)}
          ${missing > 0n && html`<p class="note">${shortage(visit, quote.terms.currency, missing, addressOf(visit, offer, typed))}</p>`}`
    }
  </div>`
}

/** An offer: the choices, and their price beside them. The form's address is its whole state. */
export const offerPage = (visit: Visit, choice: OfferChoice): Page => {
  const { faults, offer } = choice
  const path = visit.pathTo(`shop/${offer.id}`)
  return deskPage(
    visit,
    {
      title: offer.name,
      section: "shop",
      back: [visit.pathTo("shop"), text("desk.shop")],
      lead: html`${about(offer)} ${stock(offer)}`,
      faults
    },
    html`${offer.description !== null && html`<p>${offer.description}</p>`}
      <form class="split" action="${path}">
        <section class="card stack" aria-labelledby="choice">
          <h2 id="choice">${text("shop.choice_title")}</h2>
          ${options(choice)}
          <div class="two">${quantity(choice)} ${protocol(choice)} ${city(choice)} ${bandwidth(choice)}</div>
          ${promoCode(choice)} ${payWith(choice)} ${autoRenew(choice)}
        </section>
        <section class="card stack sticky" aria-labelledby="price">
          <h2 id="price">${text("shop.price_title")}</h2>
          ${price(visit, choice)}
          <button class="noscript">${text("shop.update_button")}</button>
          <button class="primary" formaction="${path}/review">${text("shop.review_button")}</button>
          <p class="hint">${text("shop.nothing_charged")}</p>
        </section>
      </form>`
  )
}
