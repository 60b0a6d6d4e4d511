import { Schema } from "effect"
import { Currency } from "../../platform/Money.ts"
import * as Money from "../../platform/Money.ts"
import { type PromoCode, PromoCodeKind } from "../../wallet/promo-codes/PromoCode.ts"
import type { PromoCodePreview } from "./PreviewPromoCode.ts"

/** The discount of a promo code on an order. */
export const PromoCodePreviewView = Schema.Struct({
  code: Schema.String.annotate({ examples: ["WELCOME-20"] }),
  kind: PromoCodeKind.annotate({ description: "`percent` of the price, or a `fixed` amount off the whole request" }),
  value: Schema.Finite.annotate({ description: "Percent, or dollars", examples: [20] }),
  currency: Currency,
  unit_price: Schema.Finite.annotate({ description: "Price of one proxy before the discount", examples: [4.5] }),
  total: Schema.Finite.annotate({ description: "Price of all proxies before the discount", examples: [9] }),
  discount: Schema.Finite.annotate({ examples: [1.8] }),
  total_after: Schema.Finite.annotate({ description: "Amount to pay after the discount", examples: [7.2] }),
  expires_at: Schema.NullOr(Schema.DateTimeUtcFromString).annotate({ description: "`null`: never" }),
  uses_left: Schema.Int.annotate({
    description: "Number of requests in which you can still use the code; one request may order several proxies",
    examples: [1]
  })
}).annotate({ identifier: "PromoCodePreview" })

const valueOf = ({ kind, value }: PromoCode) => (kind === "fixed" ? Money.toNumber("USD", value) : Number(value))

export const promoCodePreviewView = ({
  currency,
  discount,
  promo_code,
  total,
  unit_price,
  uses_left
}: PromoCodePreview): typeof PromoCodePreviewView.Type => ({
  code: promo_code.code,
  kind: promo_code.kind,
  value: valueOf(promo_code),
  currency,
  unit_price: Money.toNumber(currency, unit_price),
  total: Money.toNumber(currency, total),
  discount: Money.toNumber(currency, discount),
  total_after: Money.toNumber(currency, total - discount),
  expires_at: promo_code.expires_at,
  uses_left
})
