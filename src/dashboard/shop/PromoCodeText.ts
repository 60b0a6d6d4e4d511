import { moment } from "../../pages/Format.ts"
import { type Phrase, text } from "../../pages/Html.ts"
import type { PromoCodeRefusal } from "../../wallet/promo-codes/PromoCodeRefused.ts"

const reasons = {
  unknown: text("shop.promo_code_unknown"),
  disabled: text("shop.promo_code_disabled"),
  expired: text("shop.promo_code_expired"),
  other_offer: text("shop.promo_code_other_offer"),
  used_up: text("shop.promo_code_used_up"),
  used_by_account: text("shop.promo_code_used_by_account"),
  no_discount: text("shop.promo_code_no_discount")
} satisfies Record<Extract<PromoCodeRefusal, string>, Phrase>

/** Says why a promo code gives no discount. */
export const refusalText = (refusal: PromoCodeRefusal): Phrase =>
  typeof refusal === "string" ? reasons[refusal] : text("shop.promo_code_not_yet", { time: moment(refusal.valid_from) })
