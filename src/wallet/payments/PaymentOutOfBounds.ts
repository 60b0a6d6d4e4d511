import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Money from "../../platform/Money.ts"
import type { PaymentIntent } from "../PaymentIntent.ts"

/** A bound of payments from outside: of the gateway, or of an account that is new. */
export interface PaymentBound {
  readonly kind: "gateway_least" | "new_card_least" | "new_daily_most"
  readonly amount: bigint
  readonly currency: Money.Currency
}

type Asked = Pick<PaymentIntent, "purpose" | "payment_method">

const says = {
  gateway_least: ({ payment_method }: Asked) => `${payment_method} takes at least`,
  new_card_least: () => "A new account pays by card at least",
  new_daily_most: () => "A new account pays within 24 hours at most"
} satisfies Record<PaymentBound["kind"], (asked: Asked) => string>

/** A payment that a bound refuses. API answers have only the message; pages use the bound. */
export class PaymentOutOfBounds extends RequestInvalid {
  #bound: PaymentBound = { kind: "gateway_least", amount: 0n, currency: "USD" }

  static of(asked: Asked, bound: PaymentBound): PaymentOutOfBounds {
    const { amount, currency, kind } = bound
    const field = asked.purpose === "deposit" ? "amount" : "payment_method"
    const msg = `${says[kind](asked)} ${Money.toDecimal(currency, amount)} ${currency}`
    const refused = new PaymentOutOfBounds({ detail: [{ loc: ["body", field], msg, type: "value_error" }] })
    refused.#bound = bound
    return refused
  }

  get bound(): PaymentBound {
    return this.#bound
  }
}
