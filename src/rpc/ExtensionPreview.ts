import { DateTime, Schema } from "effect"
import { OfferId, ProxyKind } from "../catalog/Offer.ts"
import type { AgreedChange } from "../orders/ProxyChangeTerms.ts"
import type { Wallet } from "../wallet/Wallet.ts"
import { fromWallet, previewOf } from "./Preview.ts"

const change = {
  order_id: Schema.String,
  offer: Schema.Struct({ id: OfferId, name: Schema.String, kind: ProxyKind, country_code: Schema.String }),
  bandwidth_total_gb: Schema.Finite.annotate({ description: "The traffic limit afterwards, in GB; 0 is unlimited" })
}

/** What more time for a proxy would cost and bring. */
export const ExtensionPreview = previewOf({
  ...change,
  expires_at: Schema.String.annotate({ description: "When the proxy would end" }),
  previous_expires_at: Schema.String.annotate({ description: "When it ends without that" })
})

/** What more traffic for a proxy would cost and bring. */
export const TrafficPreview = previewOf(change)

/** Fits both: who asks for traffic is not told of times. */
export const extensionPreview = (
  tool: string,
  { offer, order, terms }: AgreedChange,
  wallets: ReadonlyArray<Wallet>
): typeof ExtensionPreview.Type => ({
  ...fromWallet({ tool, total: terms.total, currency: terms.currency }, wallets),
  order_id: order.id,
  offer: { id: offer.id, name: offer.name, kind: offer.kind, country_code: offer.country_code },
  bandwidth_total_gb: terms.bandwidth_gb ?? 0,
  expires_at: DateTime.formatIso(terms.expires_at),
  previous_expires_at: DateTime.formatIso(order.expires_at)
})
