import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"

export class IpChecksDisabled extends ApiError<IpChecksDisabled>()("IpChecksDisabled", {
  status: 403,
  code: "FEATURE_DISABLED",
  detail: "IP checks are disabled (flag ip_reputation.check.enabled)"
}) {}

export class TooFewSources extends ApiError<TooFewSources>()("TooFewSources", {
  status: 503,
  detail: "Too few sources answered; nothing was charged. Try again in a moment"
}) {}

/** No vendor knows this kind of address. A retry does not help: the operator must configure such a vendor. */
export class NoSources extends ApiError<NoSources>()("NoSources", {
  status: 503,
  detail: "This service has no IP reputation source for this kind of address; nothing was charged"
}) {}

export class IpCheckInterrupted extends ApiError<IpCheckInterrupted>()("IpCheckInterrupted", {
  status: 503,
  detail: "The check was interrupted; nothing was charged. Try again"
}) {}

export class IpCheckUnderWay extends ApiError<IpCheckUnderWay>()(
  "IpCheckUnderWay",
  { status: 409, detail: "Another request is checking this address; nothing was charged. Try again in a moment" },
  { reason: Schema.tag("check_in_progress") }
) {}

/** No answer of the API contains it: only pages promise a price. */
export class IpCheckPriceChanged extends ApiError<IpCheckPriceChanged>()("IpCheckPriceChanged", {
  status: 409,
  detail: "The price of the check has changed; nothing was charged"
}) {}

export class IpCheckNotFound extends ApiError<IpCheckNotFound>()("IpCheckNotFound", {
  status: 404,
  detail: "The check does not exist"
}) {}

export class IpCheckNotYours extends ApiError<IpCheckNotYours>()("IpCheckNotYours", {
  status: 403,
  detail: "This check belongs to another account"
}) {}

/** Another request is checking the address, or has just finished. */
export class AddressTaken extends Schema.TaggedError<AddressTaken>()("AddressTaken", {}) {}
