import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"
import { Currency } from "../platform/Money.ts"

export class OrderNotFound extends ApiError<OrderNotFound>()("OrderNotFound", {
  status: 404,
  detail: "There is no such order"
}) {}

export class OrderNotYours extends ApiError<OrderNotYours>()("OrderNotYours", {
  status: 403,
  detail: "This order belongs to another account"
}) {}

/** The account was quoted an option that the offer no longer has, and the ordered one was not quoted. */
export class OfferChanged extends ApiError<OfferChanged>()(
  "OfferChanged",
  { status: 409, detail: "The offer has changed since its price was asked for; ask for the price again" },
  { reason: Schema.tag("offer_changed") }
) {}

/** The price is not the one that the customer agreed to. */
export class PriceChanged extends ApiError<PriceChanged>()(
  "PriceChanged",
  { status: 409, detail: "The price has changed and nothing was charged; ask for a quote, or agree to details.total" },
  {
    reason: Schema.tag("price_changed"),
    total: Schema.String.annotate({ description: "The present price, as a decimal string", examples: ["10.80"] }),
    currency: Currency
  }
) {}
