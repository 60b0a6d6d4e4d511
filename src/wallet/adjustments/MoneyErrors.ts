import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"
import { Currency } from "../../platform/Money.ts"

export class MoneyRecordNotFound extends ApiError<MoneyRecordNotFound>()("MoneyRecordNotFound", {
  status: 404,
  detail: "There is no such record"
}) {}

export class CustomerNotFound extends ApiError<CustomerNotFound>()("CustomerNotFound", {
  status: 404,
  detail: "There is no such account, or it was deleted"
}) {}

export class KeyReused extends ApiError<KeyReused>()(
  "KeyReused",
  { status: 409, detail: "Another action has this id; use a new id for each action" },
  { reason: Schema.tag("idempotency_key_reused") }
) {}

export class AlreadyDecided extends ApiError<AlreadyDecided>()(
  "AlreadyDecided",
  { status: 409, detail: "The request was decided before, or it has expired" },
  { reason: Schema.tag("already_decided"), status: Schema.String.annotate({ examples: ["booked"] }) }
) {}

export class SelfApproval extends ApiError<SelfApproval>()(
  "SelfApproval",
  { status: 403, detail: "Another person decides about your request" },
  { reason: Schema.tag("self_approval") }
) {}

export class MayNotDecide extends ApiError<MayNotDecide>()(
  "MayNotDecide",
  { status: 403, detail: "Your role does not decide about requests" },
  { reason: Schema.tag("may_not_decide") }
) {}

export class BalanceTooLow extends ApiError<BalanceTooLow>()(
  "BalanceTooLow",
  { status: 409, detail: "The wallet has too little money for this debit" },
  {
    reason: Schema.tag("balance_too_low"),
    balance: Schema.String.annotate({ description: "The money that can be taken", examples: ["3.00"] }),
    currency: Currency
  }
) {}

export class NothingToRevoke extends ApiError<NothingToRevoke>()(
  "NothingToRevoke",
  { status: 409, detail: "The credit has less left than that to take back" },
  {
    reason: Schema.tag("nothing_left_to_return"),
    left: Schema.String.annotate({ description: "The part of the credit that was not taken back", examples: ["3.00"] })
  }
) {}

/** An action that no second person can agree to. */
export class LimitReached extends ApiError<LimitReached>()(
  "LimitReached",
  { status: 403, detail: "The amount is above the limits of your role; a person with higher limits decides" },
  { reason: Schema.tag("limit_reached") }
) {}
