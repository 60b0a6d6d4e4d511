import { Effect, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { AgreedChange } from "../../orders/changes/AgreeProxyChange.ts"
import { ExpectedTotal } from "../../orders/OrderFields.ts"
import type { Order } from "../../orders/Order.ts"
import type { PriceChanged } from "../../orders/OrderErrors.ts"
import type { Faults } from "../../pages/Field.ts"
import { money } from "../../pages/Format.ts"
import { Decimal, Nonce } from "../../pages/FormSchemas.ts"
import { text } from "../../pages/Html.ts"
import * as Money from "../../platform/Money.ts"
import { Wallets } from "../../wallet/Wallets.ts"
import { type Failure, faultsOf } from "../../pages/FormFaults.ts"
import type { Visit } from "../desk/Visit.ts"
import { changePage } from "./ChangePage.ts"

const nonceOf = Schema.decodeUnknownOption(Nonce)

/** The fields that every purchase of a change has. */
export const confirmed = {
  expected_total: Decimal.pipe(Schema.decodeTo(ExpectedTotal)),
  nonce: Nonce
}

export const messages = { expected_total: text("form.not_confirmed"), nonce: text("form.not_confirmed") }

/** Says a failure of a purchase of a change; a new price is told with its amount. */
export const told = (failure: Failure | PriceChanged): Faults => {
  if (failure._tag !== "PriceChanged" || !("details" in failure)) return faultsOf(failure)
  const { currency, total } = failure.details
  return { "": text("proxies.price_changed", { total: money(currency, Money.fromDecimal(currency, total) ?? 0n) }) }
}

interface Reviewed extends Pick<Parameters<typeof changePage>[1], "page" | "title" | "what" | "field" | "faults"> {
  readonly order: Order
  readonly agreed: AgreedChange
  /** The nonce of the form that is shown again. */
  readonly nonce?: string | undefined
}

/** Makes the function that shows the price of a change. A form that is shown again keeps its nonce, so it buys once. */
export const make = Effect.gen(function* () {
  const wallets = yield* Wallets

  return Effect.fnUntraced(function* (visit: Visit, { nonce, ...reviewed }: Reviewed) {
    const { balance } = yield* wallets.balance(visit.user.id, reviewed.agreed.terms.currency)
    return changePage(visit, { ...reviewed, balance, nonce: Option.getOrElse(nonceOf(nonce), randomUUID) })
  })
})
