import { DateTime } from "effect"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"

const messages = {
  unknown: "There is no such promo code",
  disabled: "The promo code is no longer valid",
  expired: "The promo code has expired",
  other_offer: "The promo code is not valid for this offer",
  used_up: "The promo code is used up",
  used_by_account: "Your account cannot use the promo code again",
  no_discount: "The promo code gives no discount at this price"
} as const

/** Why a code gives no discount: the code is not valid before a time, or for another reason. */
export type PromoCodeRefusal = keyof typeof messages | { readonly valid_from: DateTime.Utc }

const messageOf = (refusal: PromoCodeRefusal): string =>
  typeof refusal === "string"
    ? messages[refusal]
    : `The promo code is valid from ${DateTime.formatIso(refusal.valid_from)}`

/** A request with a promo code that gives no discount. API answers have only the message; pages use the reason. */
export class PromoCodeRefused extends RequestInvalid {
  #refusal: PromoCodeRefusal = "unknown"

  static of(loc: ReadonlyArray<string>, refusal: PromoCodeRefusal): PromoCodeRefused {
    const refused = new PromoCodeRefused({ detail: [{ loc, msg: messageOf(refusal), type: "value_error" }] })
    refused.#refusal = refusal
    return refused
  }

  get refusal(): PromoCodeRefusal {
    return this.#refusal
  }
}
