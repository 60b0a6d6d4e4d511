import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

const dollars = (description: string) => Schema.String.annotate({ description, examples: ["3.00"] })

export class PayoutsOff extends ApiError<PayoutsOff>()("PayoutsOff", {
  status: 403,
  detail: "This service pays no money of the wallet out"
}) {}

export class PayoutOpen extends ApiError<PayoutOpen>()(
  "PayoutOpen",
  { status: 409, detail: "A withdrawal is open; wait until it is settled, or cancel it" },
  { reason: Schema.tag("payout_open") }
) {}

export class PayoutFormUsed extends ApiError<PayoutFormUsed>()(
  "PayoutFormUsed",
  { status: 409, detail: "This form was sent before; open the page again" },
  { reason: Schema.tag("payout_form_used") }
) {}

export class PayoutAboveCash extends ApiError<PayoutAboveCash>()(
  "PayoutAboveCash",
  { status: 409, detail: "Only money that was paid in can be withdrawn, and not by a card a short time ago" },
  { reason: Schema.tag("more_than_cash"), left: dollars("The money that can be withdrawn, in USD") }
) {}

export class CredentialsChanged extends ApiError<CredentialsChanged>()(
  "CredentialsChanged",
  { status: 409, detail: "Withdrawals wait for 7 days after a change of the password or the email" },
  { reason: Schema.tag("credentials_changed") }
) {}

export class PayoutTooSmall extends ApiError<PayoutTooSmall>()(
  "PayoutTooSmall",
  { status: 422, detail: "The amount is below the least one of a withdrawal" },
  { reason: Schema.tag("below_minimum"), least: dollars("The least amount, in USD") }
) {}

export class PayoutNotFound extends ApiError<PayoutNotFound>()("PayoutNotFound", {
  status: 404,
  detail: "There is no such withdrawal"
}) {}

export class PayoutMoved extends ApiError<PayoutMoved>()(
  "PayoutMoved",
  { status: 409, detail: "The withdrawal is in a state that does not allow this" },
  { reason: Schema.tag("already_decided"), status: Schema.String.annotate({ examples: ["sent"] }) }
) {}

export class CustomerStopped extends ApiError<CustomerStopped>()(
  "CustomerStopped",
  {
    status: 409,
    detail: "A restriction or a dispute stops the customer; lift it first, or decline the withdrawal"
  },
  { reason: Schema.tag("customer_stopped") }
) {}

export class OwnCredit extends ApiError<OwnCredit>()(
  "OwnCredit",
  {
    status: 403,
    detail: "You made or decided a credit or a refund of this customer in the last 30 days; another person approves"
  },
  { reason: Schema.tag("self_approval") }
) {}
