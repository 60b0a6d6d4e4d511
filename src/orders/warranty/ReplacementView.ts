import { Schema } from "effect"
import type { OrderId } from "../Order.ts"
import { ManagedProxyView } from "../proxies/ManagedProxyView.ts"
import { ReplacementReason } from "./ReplacementTerms.ts"

/** A replacement by the warranty, or what it would do. */
export const ReplacementView = Schema.Struct({
  order_id: Schema.String.annotate({ examples: ["0197a8a4-7b7e-7b0e-9a39-0d6f7d2f1c11"] }),
  replaced: Schema.Boolean.annotate({ description: "False in the answer of a dry run" }),
  reason: ReplacementReason.annotate({
    description: "The term of the warranty: `failing` or `first_day`",
    examples: ["failing"]
  }),
  proxy: Schema.NullOr(ManagedProxyView).annotate({ description: "The proxy afterwards; `null` in a dry run" })
}).annotate({ identifier: "Replacement" })
export type ReplacementView = typeof ReplacementView.Type

export const dryRunView = (order_id: OrderId, reason: ReplacementView["reason"]): ReplacementView => ({
  order_id,
  replaced: false,
  reason,
  proxy: null
})
