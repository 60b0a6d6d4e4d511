import { Effect, Schema } from "effect"
import { listOf } from "../../platform/fields/ListOf.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { Line } from "../../platform/fields/Line.ts"
import { Code, PromoCodeKind } from "../../wallet/promo-codes/PromoCode.ts"

const Time = Schema.DateTimeUtcFromString
const Count = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 31 - 1 }))

/** The terms of a promo code that a person chooses. */
export const NewPromoCode = Schema.Struct({
  code: Code.annotate({ description: "3 to 40 capital letters, digits and hyphens", examples: ["SPRING-20"] }),
  kind: PromoCodeKind,
  value: Line(1, 20).annotate({
    description: "`percent`: 1 to 100. `fixed`: dollars off all orders of a purchase together",
    examples: ["20"]
  }),
  valid_from: optional(Time),
  expires_at: optional(Time),
  use_limit: optional(Count, { description: "Purchases that may use the code; absent: no limit" }),
  account_limit: Count.annotate({ description: "Purchases of one account that may use the code", examples: [1] }).pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(1))
  ),
  offer_ids: optional(listOf(Count, { minimum: 1, maximum: 100 }), {
    description: "The offers that the code is valid for; absent: all"
  })
}).annotate({ identifier: "NewPromoCode" })

/** The limits of a code, as they are from now on. */
export const PromoCodeLimits = Schema.Struct({
  expires_at: Schema.NullOr(Time).annotate({ description: "Null: no end" }),
  use_limit: Schema.NullOr(Count).annotate({ description: "Null: no limit", examples: [100] }),
  account_limit: Count.annotate({ examples: [1] }),
  reason: Line(3, 500).annotate({ description: "For staff and the audit log", examples: ["The budget is spent"] })
}).annotate({ identifier: "PromoCodeLimits" })
