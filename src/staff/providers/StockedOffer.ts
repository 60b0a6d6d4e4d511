import { Schema } from "effect"
import { IpVersion, OfferId, ProxyKind } from "../../catalog/Offer.ts"

/** An offer of a provider, with its stock. */
export const StockedOffer = Schema.Struct({
  id: OfferId,
  external_id: Schema.String.annotate({ description: "The provider's own id, or the id of the article" }),
  name: Schema.String,
  kind: ProxyKind,
  country_code: Schema.String,
  ip_version: IpVersion,
  listed: Schema.Boolean.annotate({ description: "False: only running orders can be extended" }),
  is_available: Schema.Boolean.annotate({ description: "False: the provider has none" }),
  paused: Schema.Boolean,
  left: Schema.NullOr(Schema.Int).annotate({
    description: "The number that can still be sold; null when there is no limit, or when the provider does not tell"
  })
}).annotate({ identifier: "StockedOffer" })
export type StockedOffer = typeof StockedOffer.Type
