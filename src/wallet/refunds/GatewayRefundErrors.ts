import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

export class GatewayCannotRefund extends ApiError<GatewayCannotRefund>()(
  "GatewayCannotRefund",
  { status: 409, detail: "No charge of the customer can take this money back; return it to the wallet" },
  {
    reason: Schema.tag("gateway_cannot_refund"),
    left: Schema.String.annotate({ description: "The part that a gateway can take back", examples: ["3.00"] })
  }
) {}

export class MoreThanPaid extends ApiError<MoreThanPaid>()(
  "MoreThanPaid",
  { status: 409, detail: "Money that was given does not go back to a gateway; return it to the wallet" },
  {
    reason: Schema.tag("more_than_cash"),
    left: Schema.String.annotate({ description: "The paid money in the wallet", examples: ["3.00"] })
  }
) {}
