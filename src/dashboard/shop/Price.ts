import type { Quote } from "../../orders/checkout/OrderPlacement.ts"
import { money } from "../../pages/Format.ts"
import { type Content, type Html, html, text } from "../../pages/Html.ts"
import type { Currency } from "../../platform/Money.ts"
import { topUpFor } from "../desk/TopUpLink.ts"
import type { Visit } from "../desk/Visit.ts"
import { isFromWallet, type PayWith } from "./OfferForm.ts"

/** The money in the wallets, in units of their currency. */
export type Funds = Readonly<Record<Currency, bigint>>

/** The sums of an order. */
export const sums = ({ discount, quantity, terms, total }: Quote): Html => {
  const { currency, unit_price } = terms
  return html`<dl class="facts">
    <dt>${text("shop.each")}</dt>
    <dd>${quantity} × ${money(currency, unit_price)}</dd>
    ${
      discount > 0n &&
      html`<dt>${text("shop.discount")}</dt>
        <dd>−${money(currency, discount)}</dd>`
    }
    <dt class="total">${text("shop.total")}</dt>
    <dd class="total">${money(currency, total)}</dd>
  </dl>`
}

/** Says that the wallet has too little money, and what is missing. The top-up leads back to the page `next`. */
export const shortage = (visit: Visit, currency: Currency, missing: bigint, next: string): Html =>
  html`${text("shop.short", {
    missing: money(currency, missing),
    link: html`<a href="${topUpFor(visit, currency, missing, next)}">${text("shop.short_link")}</a>`
  })}`

/** The missing money of an order from the wallet; 0 when nothing is missing. */
export const missingFor = ({ terms, total }: Quote, way: PayWith, funds: Funds): bigint => {
  const held = funds[terms.currency]
  return isFromWallet(way) && held < total ? total - held : 0n
}

/** The wallet before and after an order; for a payment from outside, where it is paid. */
export const walletAfter = ({ terms: { currency }, total }: Quote, way: PayWith, funds: Funds): Content => {
  if (!isFromWallet(way)) return html`<p class="hint">${text("shop.paid_outside")}</p>`
  const held = funds[currency]
  return (
    held >= total &&
    html`<p class="hint">
      ${text("shop.wallet_after", { before: money(currency, held), after: money(currency, held - total) })}
    </p>`
  )
}
