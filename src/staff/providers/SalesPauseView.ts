import { Schema } from "effect"
import { SalesPause } from "../../catalog/SalesPause.ts"

const Time = Schema.DateTimeUtcFromString

export const SalesPauseView = Schema.Struct({
  ...SalesPause.fields,
  scope_id: SalesPause.fields.scope_id.annotate({
    description: "The provider, the kind, the id of the article or of the offer, or the payment method; null for `all`",
    examples: ["iproyal"]
  }),
  placed_at: Time,
  until_at: Time.annotate({ description: "The pause ends by itself then" }),
  lifted_at: Schema.NullOr(Time).annotate({ description: "Null while the pause stands" })
}).annotate({ identifier: "SalesPause" })
