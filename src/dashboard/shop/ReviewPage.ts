import type { Quote } from "../../orders/checkout/OrderPlacement.ts"
import { area, type Faults, hidden } from "../../pages/Field.ts"
import { country, gigabytes, money, number } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import * as Money from "../../platform/Money.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { kindText } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { isFromWallet, pairsOf, PayWith, type Typed } from "./OfferForm.ts"
import { wayTitles } from "./OfferPage.ts"
import { citiesOf } from "./OfferWords.ts"
import { type Funds, sums, walletAfter } from "./Price.ts"

interface Review {
  readonly quote: Quote
  readonly typed: Typed
  readonly faults: Faults
  readonly funds: Funds
  /** Makes a form that is sent twice place one order. */
  readonly nonce: string
}

const fact = (name: Content, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

const facts = ({ quote, typed }: Review, way: PayWith): Html => {
  const { offer, quantity, terms } = quote
  const code = typed.field("promo_code")
  return html`<dl class="facts">
    ${fact(text("shop.offer"), offer.name)} ${fact(text("shop.kind"), kindText[offer.kind])}
    ${fact(text("shop.country"), country(offer.country_code))}
    ${citiesOf(offer).length > 0 && fact(text("shop.city"), terms.city ?? text("shop.any_city"))}
    ${fact(text("shop.period"), terms.option.period_name)} ${fact(text("shop.quantity"), number(quantity))}
    ${fact(text("shop.traffic_fact"), terms.bandwidth_gb === null ? text("shop.unlimited") : gigabytes(terms.bandwidth_gb))}
    ${fact(text("shop.protocol"), terms.protocol)}
    ${code !== undefined && fact(text("shop.promo_code"), html`<bdi>${code}</bdi>`)}
    ${fact(
      text("shop.afterwards"),
      typed.field("auto_renew") === undefined ? text("shop.ends") : text("shop.auto_renew")
    )}
    ${fact(text("shop.pay_with"), wayTitles[way])}
  </dl>`
}

/** The last page before an order: it is charged what is shown here or nothing, and once, however often it is sent. */
export const reviewPage = (visit: Visit, review: Review): Page => {
  const { faults, funds, nonce, quote, typed } = review
  const { offer, terms, total } = quote
  const path = visit.pathTo(`shop/${offer.id}`)
  const way = PayWith.literals.find((way) => way === typed.field("pay_with")) ?? "wallet"
  const payment = html`${pairsOf(typed).map(([name, value]) => hidden(name, value))} ${hidden("nonce", nonce)}
    ${hidden("expected_total", Money.toDecimal(terms.currency, total))}
    ${area({
      name: "notes",
      label: text("shop.notes"),
      hint: text("shop.notes_hint"),
      optional: true,
      rows: 2,
      value: typed.field("notes"),
      error: faults["notes"]
    })} <button class="primary">${text("shop.pay_button", { amount: money(terms.currency, total) })}</button>`
  return deskPage(
    visit,
    {
      title: text("shop.review_title"),
      section: "shop",
      back: [path, offer.name],
      faults
    },
    html`<div class="split">
      <section class="card stack" aria-labelledby="what">
        <h2 id="what">${text("shop.what_title")}</h2>
        ${facts(review, way)}
        <p><a href="${path}?${new URLSearchParams([...pairsOf(typed)]).toString()}">${text("shop.change_link")}</a></p>
      </section>
      <section class="card stack" aria-labelledby="pay">
        <h2 id="pay">${text("shop.pay_title")}</h2>
        ${sums(quote)} ${walletAfter(quote, way, funds)} ${visit.form(`${path}/review`, payment, { class: "stack" })}
        <p class="hint">${isFromWallet(way) ? text("shop.pay_about") : text("shop.pay_outside_about")}</p>
      </section>
    </div>`
  )
}
