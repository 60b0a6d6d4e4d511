import { choices, field, type Faults, select } from "../../pages/Field.ts"
import { moment, usd } from "../../pages/Format.ts"
import { type Content, type Html, html, type Phrase, text } from "../../pages/Html.ts"
import { type Page, page } from "../../pages/Layout.ts"
import * as Money from "../../platform/Money.ts"
import { type AutoTopUp, limits, type StoppedBy, type Sum } from "../../wallet/auto-top-up/AutoTopUp.ts"
import { cardName } from "../../wallet/auto-top-up/CardName.ts"
import type { SavedCard } from "../../wallet/SavedCard.ts"
import { deskPage } from "../desk/DeskPage.ts"
import { question } from "../desk/Question.ts"
import type { Visit } from "../desk/Visit.ts"

/** The form as it was typed, or as it is stored. */
export interface AutoTopUpForm {
  readonly enabled: string
  readonly threshold: string
  readonly amount: string
  readonly monthly_limit: string
  readonly card_id: string
}

export interface AutoTopUpView {
  /** True when a gateway keeps cards. */
  readonly areCardsOffered: boolean
  readonly cards: ReadonlyArray<SavedCard>
  readonly settings: AutoTopUp | undefined
  readonly form: AutoTopUpForm
  readonly notice?: Content
  readonly faults?: Faults | undefined
}

const stoppedText = {
  authentication_required: text("autotopup.stopped_authentication"),
  card_expired: text("autotopup.stopped_expired"),
  card_refused: text("autotopup.stopped_refused"),
  declined: text("autotopup.stopped_declined"),
  reversed: text("autotopup.stopped_reversed")
} satisfies Record<StoppedBy, Phrase>

/** The settings as the form shows them; for a new one, usual sums. */
export const formOf = (settings: AutoTopUp | undefined, cards: ReadonlyArray<SavedCard>): AutoTopUpForm => {
  const sum = (name: Sum, usual: string) => (settings === undefined ? usual : Money.toDecimal("USD", settings[name]))
  return {
    enabled: settings?.is_on === false ? "off" : "on",
    threshold: sum("threshold", "10"),
    amount: sum("amount", "25"),
    monthly_limit: sum("monthly_limit", "100"),
    card_id: settings?.card_id ?? cards[0]?.id ?? ""
  }
}

const state = ({ cards, settings }: AutoTopUpView): Content => {
  const off = (said: Phrase) => cards.length > 0 && html`<p class="note" role="status">${said}</p>`
  if (settings === undefined) return off(text("autotopup.not_set"))
  const { is_on, monthly_limit, not_before, stopped_by, used } = settings
  if (stopped_by !== null) return html`<p class="note" role="status">${stoppedText[stopped_by]}</p>`
  if (!is_on) return off(text("autotopup.is_off"))
  return html`<section class="tiles">
    <div class="card tile">
      <h2>${text("autotopup.this_month")}</h2>
      <p class="figure">${usd(used)}</p>
      <p class="quiet">${text("autotopup.of_limit", { limit: usd(monthly_limit) })}</p>
      ${not_before !== null && html`<p>${text("autotopup.pause", { time: moment(not_before) })}</p>`}
    </div>
  </section>`
}

const expiry = ({ expiry_month, expiry_year }: SavedCard): string =>
  `${String(expiry_month).padStart(2, "0")}/${expiry_year}`

const card = (visit: Visit, card: SavedCard, settings: AutoTopUp | undefined): Html => {
  const isUsed = settings?.is_on === true && settings.card_id === card.id
  return html`<li class="bar">
    <span
      ><b>${cardName(card)}</b> <small>${text("autotopup.expires", { date: expiry(card) })}</small>${
        isUsed && html` <span class="mark">${text("autotopup.in_use")}</span>`
      }</span
    >
    ${question(
      `remove-${card.id}`,
      {
        button: text("autotopup.remove_button"),
        title: text("autotopup.remove_title", { card: cardName(card) }),
        about: isUsed ? text("autotopup.remove_used_about") : text("autotopup.remove_about"),
        keep: text("autotopup.keep_button"),
        className: "small danger"
      },
      visit.form(
        visit.pathTo(`wallet/auto-top-up/cards/${card.id}/remove`),
        html`<button class="danger">${text("autotopup.remove_button")}</button>`
      )
    )}
  </li>`
}

const cardsOf = (visit: Visit, { areCardsOffered, cards, settings }: AutoTopUpView): Html =>
  html`<section class="card stack" aria-labelledby="cards">
    <h2 id="cards">${text("autotopup.cards_title")}</h2>
    ${
      cards.length === 0
        ? html`<p>${text("autotopup.no_card")}</p>`
        : html`<ul class="plain">
            ${cards.map((one) => card(visit, one, settings))}
          </ul>`
    }
    ${
      areCardsOffered
        ? visit.form(
            visit.pathTo("wallet/auto-top-up/cards"),
            html`<p class="quiet">${text("autotopup.save_about")}</p>
              <div>
                <button ${cards.length === 0 && html` class="primary"`}>${text("autotopup.save_button")}</button>
              </div>`,
            { class: "stack" }
          )
        : html`<p class="note">${text("autotopup.not_offered")}</p>`
    }
  </section>`

const bounds = (name: Sum) => ({ least: usd(limits[name].minimum), most: usd(limits[name].maximum) })

const settingsForm = (visit: Visit, { cards, faults = {}, form }: AutoTopUpView): Html => {
  const sum = (name: Sum, label: Phrase, hint: Phrase) =>
    field({
      name,
      label,
      hint,
      autocomplete: "off",
      more: html` inputmode="decimal"`,
      value: form[name],
      error: faults[name]
    })
  return html`<section class="card stack" aria-labelledby="settings">
    <h2 id="settings">${text("autotopup.settings_title")}</h2>
    ${visit.form(
      visit.pathTo("wallet/auto-top-up"),
      html`${choices({
          type: "radio",
          name: "enabled",
          label: text("autotopup.enabled"),
          error: faults["enabled"],
          chosen: [form.enabled],
          options: [
            { value: "on", title: text("autotopup.on"), detail: text("autotopup.on_about") },
            { value: "off", title: text("autotopup.off") }
          ]
        })}
        ${sum("threshold", text("autotopup.threshold"), text("autotopup.threshold_hint", bounds("threshold")))}
        ${sum("amount", text("autotopup.amount"), text("autotopup.amount_hint", bounds("amount")))}
        ${sum(
          "monthly_limit",
          text("autotopup.monthly_limit"),
          text("autotopup.monthly_limit_hint", bounds("monthly_limit"))
        )}
        ${select({
          name: "card_id",
          label: text("autotopup.card"),
          value: form.card_id,
          error: faults["card_id"],
          options: cards.map((card) => [card.id, `${cardName(card)}, ${expiry(card)}`] as const)
        })}
        <p class="quiet">${text("autotopup.consent")}</p>
        <div><button class="primary">${text("autotopup.button")}</button></div>`,
      { class: "stack" }
    )}
  </section>`
}

/** The settings of automatic top-up, and the saved cards. */
export const autoTopUpPage = (visit: Visit, view: AutoTopUpView): Page =>
  deskPage(
    visit,
    {
      title: text("autotopup.title"),
      section: "wallet",
      back: [visit.pathTo("wallet"), text("desk.wallet")],
      lead: text("autotopup.about"),
      notice: view.notice,
      ...(view.faults !== undefined && { faults: view.faults })
    },
    html`${state(view)} ${view.cards.length > 0 && settingsForm(visit, view)} ${cardsOf(visit, view)}`
  )

/** Leads on to the page of the gateway on which a card is entered. The link is for browsers that do not follow. */
export const leadingPage = (address: string): Page =>
  page(
    text("autotopup.leading_title"),
    html`<h1>${text("autotopup.leading_title")}</h1>
      <p>${text("autotopup.leading")}</p>
      <p><a class="button primary" href="${address}">${text("payment.leading_link")}</a></p>`
  )
