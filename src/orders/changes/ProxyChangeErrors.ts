import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

/** The proxy works until its end, but cannot be extended. */
export class OfferWithdrawn extends ApiError<OfferWithdrawn>()(
  "OfferWithdrawn",
  { status: 409, detail: "The proxy's offer is no longer sold, so nothing can be bought for it; order another proxy" },
  { reason: Schema.tag("offer_withdrawn") }
) {}

/** The offer is on sale, but without what the customer asks for. */
export class NotSold extends ApiError<NotSold>()("NotSold", {
  status: 400,
  detail: "The proxy's offer does not sell this",
  example: "The proxy's traffic is already unlimited"
}) {}

export class ExtensionTooEarly extends ApiError<ExtensionTooEarly>()("ExtensionTooEarly", {
  status: 400,
  detail: "More than 30 percent of the current cycle remains; extend the proxy later"
}) {}

/** The proxy is not the one that the customer has seen: it was extended, or its traffic was raised, meanwhile. */
export class ProxyChanged extends ApiError<ProxyChanged>()(
  "ProxyChanged",
  {
    status: 409,
    detail: "The proxy has changed since you read it, and nothing was charged; read it again before you buy more"
  },
  {
    reason: Schema.tag("proxy_changed"),
    expires_at: Schema.String.annotate({ description: "The present end", examples: ["2026-02-28T12:00:00.000Z"] }),
    bandwidth_total_gb: Schema.Finite.annotate({ description: "The present limit; 0 is unlimited", examples: [50] })
  }
) {}

/** The change is paid for, but the provider has not confirmed it. */
export class ChangeUnsettled extends ApiError<ChangeUnsettled>()("ChangeUnsettled", {
  status: 503,
  detail:
    "The provider has not confirmed the change yet. Do not repeat the request: read the order again in a moment. If the change fails, the money returns to the wallet"
}) {}

/** The provider sells no such time; `detail` says why. */
export class CannotExtend extends ApiError<CannotExtend>()(
  "CannotExtend",
  {
    status: 409,
    detail: "The provider cannot extend this proxy by this time",
    example: "This provider sells whole months only: give one month"
  },
  { reason: Schema.tag("cannot_extend") }
) {}

/** Staff together give at most 31 days within 30 days to one order. */
export class TooMuchGiven extends ApiError<TooMuchGiven>()(
  "TooMuchGiven",
  { status: 409, detail: "An order gets at most 31 days at no charge within 30 days" },
  {
    reason: Schema.tag("too_much_given"),
    days_left: Schema.Int.annotate({ description: "The days that can still be given", examples: [5] })
  }
) {}
