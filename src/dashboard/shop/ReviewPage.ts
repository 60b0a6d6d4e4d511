import { DateTime } from "effect"
import type { Offer, OfferOption } from "../../catalog/Offer.ts"
import { firstRenewal } from "../../orders/changes/ProxyChangeTerms.ts"
import type { Quote } from "../../orders/checkout/OrderPlacement.ts"
import { expiringFrom } from "../../orders/OrderStatus.ts"
import { area, type Faults, hidden } from "../../pages/Field.ts"
import { country, date, gigabytes, money, number } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Page } from "../../pages/Layout.ts"
import * as Money from "../../platform/Money.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { lengthText, periodWithDays } from "../desk/PeriodText.ts"
import { kindText } from "../desk/ProxyText.ts"
import type { Visit } from "../desk/Visit.ts"
import { addressOf, isFromWallet, pairsOf, PayWith, reviewAddress, type Typed } from "./OfferForm.ts"
import { wayTitles } from "./OfferPage.ts"
import { citiesOf } from "./OfferWords.ts"
import { type Funds, missingFor, shortage, sums, walletAfter } from "./Price.ts"

interface Review {
  readonly quote: Quote
  readonly typed: Typed
  readonly faults: Faults
  readonly funds: Funds
  /** Makes a form that is sent twice place one order. */
  readonly nonce: string
}

const kindOf = ({ kind, mode }: Offer) => ({ proxy_type: kind, mode })

const fact = (name: Content, value: Content): Html =>
  html`<dt>${name}</dt>
    <dd>${value}</dd>`

/** The end of a proxy that is bought now. */
const endOf = ({ period_days }: OfferOption, now: DateTime.Utc) => DateTime.add(now, { days: period_days })

/** The first renewal: its price, its length and its day. */
const renewing = ({ offer, terms }: Quote, now: DateTime.Utc): Content => {
  const { option } = terms
  const renewal = firstRenewal(offer, { ...terms, ...option, bandwidth_gb: terms.bandwidth_gb, ...kindOf(offer) })
  return renewal === undefined
    ? text("shop.auto_renew")
    : text("shop.renews", {
        price: money(renewal.currency, renewal.total),
        period: lengthText(renewal),
        date: date(expiringFrom(now, endOf(option, now)))
      })
}

const facts = ({ quote, typed }: Review, way: PayWith, now: DateTime.Utc): Html => {
  const { offer, quantity, terms } = quote
  const code = typed.field("promo_code")
  return html`<dl class="facts">
    ${fact(text("shop.offer"), offer.name)} ${fact(text("shop.kind"), kindText[offer.kind])}
    ${fact(text("shop.country"), country(offer.country_code))}
    ${citiesOf(offer).length > 0 && fact(text("shop.city"), terms.city ?? text("shop.any_city"))}
    ${fact(text("shop.period"), periodWithDays(terms.option))}
    ${fact(text("shop.end"), text("shop.end_about", { date: date(endOf(terms.option, now)) }))}
    ${fact(text("shop.quantity"), number(quantity))}
    ${fact(text("shop.traffic_fact"), terms.bandwidth_gb === null ? text("shop.unlimited") : gigabytes(terms.bandwidth_gb))}
    ${fact(text("shop.protocol"), terms.protocol)}
    ${code !== undefined && fact(text("shop.promo_code"), html`<bdi>${code}</bdi>`)}
    ${fact(text("shop.afterwards"), typed.field("auto_renew") === undefined ? text("shop.ends") : renewing(quote, now))}
    ${fact(text("shop.pay_with"), wayTitles[way])}
  </dl>`
}

/** The last page before an order: it is charged what is shown here or nothing, and once, however often it is sent. */
export const reviewPage = (visit: Visit, review: Review): Page => {
  const { faults, funds, nonce, quote, typed } = review
  const { offer, terms, total } = quote
  const path = visit.pathTo(`shop/${offer.id}`)
  const way = PayWith.literals.find((way) => way === typed.field("pay_with")) ?? "wallet"
  const back = addressOf(visit, offer, typed)
  const missing = missingFor(quote, way, funds)
  const address = reviewAddress(visit, offer, typed, nonce)
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
      back: [back, offer.name],
      faults
    },
    html`<div class="split">
      <section class="card stack" aria-labelledby="what">
        <h2 id="what">${text("shop.what_title")}</h2>
        ${facts(review, way, visit.now)}
        <p><a href="${back}">${text("shop.change_link")}</a></p>
      </section>
      <section class="card stack" aria-labelledby="pay">
        <h2 id="pay">${text("shop.pay_title")}</h2>
        ${sums(quote)} ${walletAfter(quote, way, funds)}
        ${
          missing > 0n
            ? html`<p class="note">${shortage(visit, terms.currency, missing, address)}</p>
                <p class="hint">${text("shop.short_about")}</p>`
            : html`${visit.form(`${path}/review`, payment, { class: "stack" })}
                <p class="hint">${isFromWallet(way) ? text("shop.pay_about") : text("shop.pay_outside_about")}</p>`
        }
      </section>
    </div>`
  )
}
