import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"

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
