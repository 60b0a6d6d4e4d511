import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

/** The proxy goes on until its end; only it cannot be prolonged. */
export class OfferWithdrawn extends ApiError<OfferWithdrawn>()(
  "OfferWithdrawn",
  { status: 409, detail: "The proxy's offer is no longer sold, so nothing can be bought for it; order another proxy" },
  { reason: Schema.tag("offer_withdrawn") }
) {}

/** The offer is on sale, but not what was asked for. */
export class NotSold extends ApiError<NotSold>()("NotSold", {
  status: 400,
  detail: "The proxy's offer does not sell this",
  example: "The proxy's traffic is unlimited already"
}) {}

export class ExtensionTooEarly extends ApiError<ExtensionTooEarly>()("ExtensionTooEarly", {
  status: 400,
  detail: "More than 30 percent of the current cycle remains; extend the proxy later"
}) {}

/** The provider has not said yet whether it has made a change that is paid for. */
export class ChangeUnsettled extends ApiError<ChangeUnsettled>()("ChangeUnsettled", {
  status: 503,
  detail:
    "The provider has not confirmed the change yet. It is being settled: do not repeat it, look at the order in a moment; if the change fails, the money returns to the wallet"
}) {}
