import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { OfferView } from "../catalog/CatalogView.ts"
import { Country } from "../catalog/CatalogApi.ts"
import { ProxyKind } from "../catalog/Offer.ts"
import { optional } from "../platform/fields/Optional.ts"
import { Text } from "../platform/fields/Text.ts"
import { reads, tool } from "./ToolAnnotations.ts"
import { response_format } from "./ToolArguments.ts"
import { ToolCaller } from "./ToolCaller.ts"
import { ToolFailure } from "./ToolFailure.ts"

const listOffers = Rpc.make("list_offers", {
  payload: {
    kind: optional(ProxyKind, {
      description:
        "Keeps one kind. datacenter: fast and cheap, recognisable as hosting. residential: static addresses of consumer internet providers. mobile: addresses of mobile networks"
    }),
    country: optional(Country),
    region: optional(Text(1, 100), {
      description: "Keeps offers with this region among their locations, in any case",
      examples: ["Bavaria"]
    }),
    city: optional(Text(1, 100), {
      description:
        "Keeps offers with this city among their locations, in any case. With `region`, both must be one location. It narrows the choice of provider and does not fix the city of the address",
      examples: ["Munich"]
    }),
    response_format
  },
  success: Schema.Union([Schema.String, Schema.Struct({ offers: Schema.Array(OfferView), total: Schema.Int })]),
  error: ToolFailure
}).annotateMerge(
  tool({
    title: "List offers",
    description:
      "Lists the proxies on sale: one row for each offer, by kind and cheapest first, with prices in US dollars. Free. Start here: the `id` of an offer is the `offer_id` of create_proxy_order. `options` are its prices: each has `period_days`, `price` and `bandwidth_gb` (included traffic, null is unlimited). Buy an offer of mode `rotating` by `tarification_index`, the position of an option, and any other offer by `period_days`. You can buy only offers with `is_available` true. csv columns: kind, id, name, country_code, mode, ip_version, is_available, currency, locations and options (both as JSON lists). json answers {offers, total} with more fields for each offer, such as its protocols and the price of one more GB. Without a match the list is empty. 403 FEATURE_DISABLED: filtering by region or city is switched off; call again without them.",
    hints: reads,
    scope: "catalog:read",
    isShared: true
  })
)

/** The tool of the catalog. */
export const CatalogTools = RpcGroup.make(listOffers).middleware(ToolCaller)
