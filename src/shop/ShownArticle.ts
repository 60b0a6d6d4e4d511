import { Schema, Struct } from "effect"
import { Offer } from "../catalog/Offer.ts"
import { ArticleRow } from "./ShopRepo.ts"

/** Which articles a page shows. `after` is the id of the last article of the page before. */
export interface ArticleFilter {
  readonly kind?: Offer["kind"] | undefined
  readonly country?: string | undefined
  readonly after?: string | undefined
  readonly limit: number
}

/** An article with what customers see of it today. */
export const ShownArticle = Schema.Struct({
  ...Struct.pick(ArticleRow.fields, [
    "id",
    "pool",
    "kind",
    "country_code",
    "mode",
    "ip_version",
    "name",
    "options",
    "open_at_most",
    "rate_mbps",
    "max_connections",
    "state"
  ]),
  /** Null: the catalog never had it. */
  offer_id: Schema.NullOr(Offer.fields.id),
  listed: Schema.Boolean,
  running: Schema.Int
})
export type ShownArticle = typeof ShownArticle.Type
