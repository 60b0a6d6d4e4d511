import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

/** The warranty does not replace a proxy that works. */
export class NotFailing extends ApiError<NotFailing>()(
  "NotFailing",
  {
    status: 409,
    detail:
      "The warranty replaces a proxy once within 24 hours of its delivery, and one that has failed three times in a row within the last 10 minutes; check the proxy, and try again if it fails"
  },
  { reason: Schema.tag("not_failing") }
) {}

/** Nothing was changed. */
export class NoAddressLeft extends ApiError<NoAddressLeft>()(
  "NoAddressLeft",
  { status: 409, detail: "No other address is free for this proxy now, and nothing was changed; try again later" },
  { reason: Schema.tag("out_of_stock") }
) {}
