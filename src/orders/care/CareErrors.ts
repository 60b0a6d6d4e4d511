import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

/** Only an order that is paid and not delivered is tried again. */
export class NotRetryable extends ApiError<NotRetryable>()(
  "NotRetryable",
  { status: 409, detail: "The order does not wait for its proxy: it is not paid, or it was delivered or returned" },
  { reason: Schema.tag("not_waiting") }
) {}

/** A second call could buy a second proxy. */
export class OutcomeUnknown extends ApiError<OutcomeUnknown>()(
  "OutcomeUnknown",
  { status: 409, detail: "The provider may have delivered this order: look it up instead of trying again" },
  { reason: Schema.tag("outcome_unknown") }
) {}

export class NothingUnknown extends ApiError<NothingUnknown>()(
  "NothingUnknown",
  { status: 409, detail: "The order has no call to its provider whose outcome is unknown" },
  { reason: Schema.tag("nothing_unknown") }
) {}

export class CannotLookUp extends ApiError<CannotLookUp>()(
  "CannotLookUp",
  { status: 409, detail: "The provider is switched off, or it cannot be asked about earlier calls" },
  { reason: Schema.tag("cannot_look_up") }
) {}

export class NothingToRelease extends ApiError<NothingToRelease>()(
  "NothingToRelease",
  { status: 409, detail: "The order has no running proxy, and no lost one at its provider" },
  { reason: Schema.tag("nothing_to_release") }
) {}

/** The vendor's API has no way to end a proxy. */
export class ReleaseByHand extends ApiError<ReleaseByHand>()(
  "ReleaseByHand",
  { status: 409, detail: "The provider cannot end this proxy by its API: end it on the provider's own pages" },
  { reason: Schema.tag("release_by_hand") }
) {}

export class CannotReplace extends ApiError<CannotReplace>()(
  "CannotReplace",
  { status: 409, detail: "The provider cannot give a running proxy another address; refund the order instead" },
  { reason: Schema.tag("cannot_replace") }
) {}

export class NoOtherAddress extends ApiError<NoOtherAddress>()(
  "NoOtherAddress",
  { status: 409, detail: "No other exit address of this proxy's pool is free: add addresses, or refund the order" },
  { reason: Schema.tag("no_other_address") }
) {}

/** A stopped proxy is neither moved nor extended. */
export class OwnerStopped extends ApiError<OwnerStopped>()(
  "OwnerStopped",
  { status: 409, detail: "A restriction stops the proxies of this customer: lift it first" },
  { reason: Schema.tag("account_suspended") }
) {}
