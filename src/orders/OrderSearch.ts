import { Schema } from "effect"
import { Country } from "../catalog/CatalogApi.ts"
import { Text } from "../platform/fields/Text.ts"
import { OrderFilter } from "./OrderFilter.ts"

export const OrderSort = Schema.Literals(["created_at", "expires_at", "name"])

/** Filter, search and sort of a list of the orders of an account. */
export const OrderSearch = Schema.Struct({
  ...OrderFilter.fields,
  q: Schema.optionalKey(Text(1, 100)).annotateKey({
    description:
      "Keeps orders with this text, in any case, in the `host:port` or the login of the proxy, in its notes, in one of its tags, or, from 8 characters on, in their id",
    examples: ["crawler"]
  }),
  country: Schema.optionalKey(Country).annotateKey({
    description: "Keeps proxies in this country (ISO 3166-1 alpha-2, in any case)",
    examples: ["DE"]
  }),
  auto_renew: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Keeps proxies whose auto-renew is on (`true`) or off (`false`)",
    examples: [false]
  }),
  sort: Schema.optionalKey(OrderSort).annotateKey({
    description:
      "`created_at` (default): newest first. `expires_at`: running proxies first, of these the next to end first. `name`: by the notes, those without notes last",
    examples: ["expires_at"]
  })
})
export type OrderSearch = typeof OrderSearch.Type

/** True when the list is one that the indexes alone find: without a search, newest first. */
export const isPlain = ({ auto_renew, country, q, sort = "created_at" }: Omit<OrderSearch, "proxy_status">): boolean =>
  q === undefined && country === undefined && auto_renew === undefined && sort === "created_at"
