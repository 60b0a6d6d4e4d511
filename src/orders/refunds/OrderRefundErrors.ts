import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

const left = Schema.String.annotate({ description: "The amount that can be returned", examples: ["3.00"] })

export class NotDelivered extends ApiError<NotDelivered>()(
  "NotDelivered",
  { status: 409, detail: "The order was not delivered; an order that fails is refunded by itself" },
  { reason: Schema.tag("not_delivered"), status: Schema.String.annotate({ examples: ["paid"] }) }
) {}

export class OrderBusy extends ApiError<OrderBusy>()(
  "OrderBusy",
  { status: 409, detail: "A change or an operation of the proxy is under way; try again in a minute" },
  { reason: Schema.tag("order_busy") }
) {}

export class NothingToReturn extends ApiError<NothingToReturn>()(
  "NothingToReturn",
  { status: 409, detail: "Nothing is left to return" },
  { reason: Schema.tag("nothing_left_to_return") }
) {}

export class MoreThanLeft extends ApiError<MoreThanLeft>()(
  "MoreThanLeft",
  { status: 409, detail: "Less than this amount can be returned" },
  { reason: Schema.tag("more_than_paid"), left }
) {}

export class NotWhole extends ApiError<NotWhole>()(
  "NotWhole",
  {
    status: 409,
    detail: "The order has ended, or a part of it was returned before; return the rest as an amount"
  },
  { reason: Schema.tag("not_whole"), left }
) {}
