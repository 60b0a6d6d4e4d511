import { Schema } from "effect"
import { ApiError } from "../platform/errors/ApiError.ts"

export class IpChecksDisabled extends ApiError<IpChecksDisabled>()("IpChecksDisabled", {
  status: 403,
  code: "FEATURE_DISABLED",
  detail: "Checks of addresses are switched off (flag ip_reputation.check.enabled)"
}) {}

export class TooFewSources extends ApiError<TooFewSources>()("TooFewSources", {
  status: 503,
  detail: "Too few sources answered; nothing was charged, try again in a moment"
}) {}

/** Trying again does not help: the operator has to configure a vendor that knows such addresses. */
export class NoSources extends ApiError<NoSources>()("NoSources", {
  status: 503,
  detail: "No source of IP reputation that knows this kind of address is configured here; nothing was charged"
}) {}

export class IpCheckInterrupted extends ApiError<IpCheckInterrupted>()("IpCheckInterrupted", {
  status: 503,
  detail: "The check was interrupted; nothing was charged, try again"
}) {}

export class IpCheckUnderWay extends ApiError<IpCheckUnderWay>()(
  "IpCheckUnderWay",
  { status: 409, detail: "Another check of this address is under way; nothing was charged, try again in a moment" },
  { reason: Schema.tag("check_in_progress") }
) {}

export class IpCheckNotFound extends ApiError<IpCheckNotFound>()("IpCheckNotFound", {
  status: 404,
  detail: "There is no such check"
}) {}

export class IpCheckNotYours extends ApiError<IpCheckNotYours>()("IpCheckNotYours", {
  status: 403,
  detail: "This check belongs to another account"
}) {}

/** The address is being checked for somebody, or has just been. */
export class AddressTaken extends Schema.TaggedError<AddressTaken>()("AddressTaken", {}) {}
