import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

export class RestrictionNotFound extends ApiError<RestrictionNotFound>()("RestrictionNotFound", {
  status: 404,
  detail: "There is no such restriction"
}) {}

export class RestrictionIdReused extends ApiError<RestrictionIdReused>()(
  "RestrictionIdReused",
  { status: 409, detail: "This idempotency key was used for another restriction; use a new key" },
  { reason: Schema.tag("idempotency_key_reused") }
) {}

export class AlreadyLifted extends ApiError<AlreadyLifted>()(
  "AlreadyLifted",
  { status: 409, detail: "The restriction was lifted before, by another person or for another reason" },
  { reason: Schema.tag("already_lifted") }
) {}

export class AccountRestricted extends ApiError<AccountRestricted>()(
  "AccountRestricted",
  {
    status: 403,
    detail:
      "The operator has restricted this account, so it cannot be deleted; details.public_reason says why. Contact the support"
  },
  {
    reason: Schema.tag("account_restricted"),
    public_reason: Schema.String.annotate({ examples: ["Your payment was disputed."] })
  }
) {}
