import { type Phrase, text } from "../../pages/Html.ts"
import type { Currency } from "../../platform/Money.ts"

/** The names of currencies. */
export const currencyText = {
  USD: text("wallet.dollars"),
  STAR: text("wallet.stars")
} satisfies Record<Currency, Phrase>
