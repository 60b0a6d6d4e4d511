import * as Money from "../../platform/Money.ts"
import { limits } from "../../wallet/payments/Deposit.ts"
import type { Visit } from "./Visit.ts"

/** The smallest amount that can be deposited and covers what is missing, in units of the currency. */
const depositFor = (currency: Money.Currency, missing: bigint): bigint => {
  const { minimum, step } = limits[currency]
  const rounded = ((missing + step - 1n) / step) * step
  return rounded < minimum ? minimum : rounded
}

/** The path of a top-up that covers what is missing, and that leads back to the page `next` after its payment. */
export const topUpFor = ({ pathTo }: Visit, currency: Money.Currency, missing: bigint, next: string): string => {
  const amount = Money.toDecimal(currency, depositFor(currency, missing))
  return `${pathTo("wallet/top-up")}?${new URLSearchParams({ currency, amount, next }).toString()}`
}
