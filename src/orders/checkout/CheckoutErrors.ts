import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

/** The order asks for a property that the offer does not have. */
export class OfferMismatch extends ApiError<OfferMismatch>()("OfferMismatch", {
  status: 400,
  detail: "The order asks for something that the offer does not have",
  example: "country: this offer is US; leave the field out or choose another"
}) {}

export class OfferOutOfStock extends ApiError<OfferOutOfStock>()(
  "OfferOutOfStock",
  { status: 409, detail: "The offer is out of stock; see is_available in the catalog" },
  {
    reason: Schema.tag("out_of_stock"),
    left: Schema.Int.annotate({ description: "The number that can still be ordered", examples: [0] })
  }
) {}

export class OrderNotWaiting extends ApiError<OrderNotWaiting>()("OrderNotWaiting", {
  status: 400,
  detail: "Only an order that waits for its payment can be cancelled"
}) {}
