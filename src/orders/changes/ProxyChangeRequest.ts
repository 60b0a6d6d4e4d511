import { DateTime, Schema } from "effect"
import { optional } from "../../platform/fields/Optional.ts"
import { ExpectedTotal } from "../OrderFields.ts"

/** Limit of the calendar months of one extension. */
export const mostMonths = 24

const idempotency_key = optional(Schema.String.check(Schema.isUUID()), {
  description: "Makes the request safe to retry; the header Idempotency-Key does the same"
})

const expected_total = optional(ExpectedTotal, {
  description:
    "The price that you agree to, in the currency of the payment. If the change has another price, the answer is `409` with the present one, and nothing is charged",
  examples: [1.5]
})

const expected_expires_at = optional(Schema.DateTimeUtcFromString, {
  description:
    "The end of the proxy, its `expires_at`, that you have seen. If the proxy has another end, for example because it was extended already, the answer is `409`, and nothing is charged",
  examples: [DateTime.makeUnsafe("2026-01-31T12:00:00.000Z")]
})

const expected_bandwidth_total_gb = optional(Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)), {
  description:
    "The traffic limit of the proxy that you have seen. If the proxy has another limit, for example because the traffic was bought already, the answer is `409`, and nothing is charged",
  examples: [50]
})

/** The body of `POST /orders/{order_id}/extend`. */
export const ExtendRequest = Schema.Struct({
  months: optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: mostMonths })), {
    description: "Calendar months, for static proxies",
    examples: [1]
  }),
  tarification_index: optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)), {
    description: "Zero-based position in the offer's options, for mobile rotating proxies"
  }),
  expected_total,
  expected_expires_at,
  idempotency_key
})
  .annotate({ examples: [{ months: 1 }] })
  .check(
    Schema.makeFilter(
      ({ months, tarification_index }) =>
        (months === undefined) !== (tarification_index === undefined) ||
        "Give exactly one of months (static proxies) and tarification_index (mobile rotating proxies)"
    )
  )
export type ExtendRequest = typeof ExtendRequest.Type

/** The body of `POST /orders/{order_id}/bandwidth`. */
export const BandwidthRequest = Schema.Struct({
  bandwidth_gb: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5000 })).annotate({
    description: "GB (10^9 bytes) to add to the running cycle",
    examples: [10]
  }),
  expected_total,
  expected_bandwidth_total_gb,
  idempotency_key
}).annotate({ examples: [{ bandwidth_gb: 10 }] })
export type BandwidthRequest = typeof BandwidthRequest.Type
