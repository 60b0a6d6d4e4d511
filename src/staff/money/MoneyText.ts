import { Effect, Schema } from "effect"
import * as Money from "../../platform/Money.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import type { MoneyActor } from "../../wallet/adjustments/MoneyActor.ts"
import type { Actor } from "../Actor.ts"

/** An amount in a request: dollars with at most six decimals, or whole stars. */
export const Amount = Schema.String.check(Schema.isPattern(/^\d{1,9}(\.\d{1,6})?$/)).annotate({
  description: "Dollars or whole stars, greater than zero, as decimal text",
  examples: ["5.00"]
})

/** An amount in an answer. Debits are negative. */
export const Shown = Schema.String.annotate({
  description: "Dollars or whole stars, as decimal text",
  examples: ["5.00"]
})

/** Reads an amount; refuses zero, and parts of a star. */
export const amountIn = Effect.fnUntraced(function* (currency: Money.Currency, text: string) {
  const amount = Money.fromDecimal(currency, text)
  if (amount !== undefined && amount > 0n) return amount
  return yield* RequestInvalid.at(
    ["body", "amount"],
    "Expected more than zero, with at most six decimals for dollars and none for stars"
  )
})

/** The person who moves money. A command acts as an owner; it is on record under the name of its user. */
export const moneyActor = ({ name, role, staff_id }: Actor["Service"]): MoneyActor => ({
  id: staff_id ?? name,
  name,
  role: role === "finance" || role === "support" ? role : "owner"
})
