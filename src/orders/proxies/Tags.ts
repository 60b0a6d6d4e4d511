import { listOf } from "../../platform/fields/ListOf.ts"
import { Text } from "../../platform/fields/Text.ts"

/** The labels of a proxy. The service does not interpret them. */
export const Tags = listOf(Text(1, 100), {
  maximum: 50,
  description: "Your own labels, at most 50. The list replaces the present one; an empty list removes all",
  examples: [["scraper-7", "london"]]
})
