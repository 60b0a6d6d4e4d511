import { money } from "../../pages/Format.ts"
import type { Content } from "../../pages/Html.ts"
import * as Money from "../../platform/Money.ts"

/** An amount that a service gives as decimal text, in the words of the reader's language. */
export const amount = (currency: Money.Currency, text: string): Content => {
  const size = Money.fromDecimal(currency, text.replace(/^-/, ""))
  return size === undefined ? text : money(currency, text.startsWith("-") ? -size : size)
}
