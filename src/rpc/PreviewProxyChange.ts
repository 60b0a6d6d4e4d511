import { DateTime, Effect, Schema } from "effect"
import type { Caller } from "../accounts/Caller.ts"
import { OfferId, ProxyKind } from "../catalog/Offer.ts"
import type { AgreedChange } from "../orders/changes/AgreeProxyChange.ts"
import * as PreviewPurchase from "./PreviewPurchase.ts"

const change = {
  order_id: Schema.String,
  offer: Schema.Struct({ id: OfferId, name: Schema.String, kind: ProxyKind, country_code: Schema.String }),
  bandwidth_total_gb: Schema.Finite.annotate({ description: "The traffic limit afterwards, in GB; 0 is unlimited" })
}

/** The price of more time for a proxy, and the proxy after it. */
export const ExtensionPreview = PreviewPurchase.previewOf({
  ...change,
  expires_at: Schema.String.annotate({ description: "End of the proxy after the purchase" }),
  previous_expires_at: Schema.String.annotate({ description: "End of the proxy without the purchase" })
})

/** The price of more traffic for a proxy, and the proxy after it. */
export const TrafficPreview = PreviewPurchase.previewOf(change)

/** Serves both previews. The preview of traffic has no times. */
export const make = Effect.gen(function* () {
  const { fromWallet } = yield* PreviewPurchase.make

  return Effect.fnUntraced(function* (
    caller: Caller["Service"],
    tool: string,
    { offer, order, terms }: AgreedChange
  ): Effect.fn.Return<typeof ExtensionPreview.Type> {
    const { currency, total, total_usd } = terms
    return {
      ...(yield* fromWallet(caller, { tool, total, total_usd, currency, fromVerified: false })),
      order_id: order.id,
      offer: { id: offer.id, name: offer.name, kind: offer.kind, country_code: offer.country_code },
      bandwidth_total_gb: terms.bandwidth_gb ?? 0,
      expires_at: DateTime.formatIso(terms.expires_at),
      previous_expires_at: DateTime.formatIso(order.expires_at)
    }
  })
})
