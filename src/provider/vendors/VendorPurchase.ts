import { Schema } from "effect"

/** A purchase from a vendor. It is recorded before the vendor is called. */
export const VendorPurchase = Schema.Struct({
  /** The name of the provider. */
  provider: Schema.String,
  /** The id of the order that the purchase is for. */
  reference: Schema.String,
  /** The vendor's id of the bought article. */
  article: Schema.String,
  period_days: Schema.Int,
  protocol: Schema.Literals(["HTTP", "HTTPS", "SOCKS5"]),
  /** The vendor's newest order before the purchase; empty when the adapter does not need it. */
  mark: Schema.String,
  requested_at: Schema.DateTimeUtcFromDate,
  /** The vendor's id of its order. Null while the outcome is unknown. */
  vendor_order_id: Schema.NullOr(Schema.String),
  /** The time when the vendor first showed the proxy. */
  delivered_at: Schema.NullOr(Schema.DateTimeUtcFromDate)
})
export type VendorPurchase = typeof VendorPurchase.Type

/** A purchase whose order at the vendor is known. */
export interface SoldPurchase extends VendorPurchase {
  readonly vendor_order_id: string
}

export const isSold = (purchase: VendorPurchase): purchase is SoldPurchase => purchase.vendor_order_id !== null
