import { Effect, Schema } from "effect"
import { PauseScope } from "../../catalog/SalesPause.ts"
import { Line } from "../../platform/fields/Line.ts"

/** The choices of a person for a pause. */
export const NewSalesPause = Schema.Struct({
  scope: PauseScope.annotate({ examples: ["provider"] }),
  scope_id: Schema.NullOr(Line(1, 200)).annotate({
    description: "The provider, the kind, the id of the article or of the offer, or the payment method; null for `all`",
    examples: ["iproyal"]
  }),
  reason: Line(3, 500).annotate({ description: "For staff and the audit log", examples: ["The vendor has an outage"] }),
  hours: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8_760 }))
    .annotate({ description: "The pause ends by itself after this time", examples: [24] })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(24)))
}).annotate({ identifier: "NewSalesPause" })
