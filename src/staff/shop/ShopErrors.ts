import { Schema } from "effect"
import { ApiError } from "../../platform/errors/ApiError.ts"

const ShopFault = Schema.Struct({
  line: Schema.Int.annotate({ description: "The first line is 1" }),
  field: Schema.String.annotate({ description: "The path of the field; empty for the file itself" }),
  reason: Schema.String
}).annotate({ identifier: "ShopFault" })

export class ShopFaulty extends ApiError<ShopFaulty>()(
  "ShopFaulty",
  { status: 409, detail: "The shop file has faults; details.faults lists them with their lines. Nothing was changed" },
  {
    reason: Schema.tag("shop_faults"),
    count: Schema.Int,
    faults: Schema.Array(ShopFault).annotate({ description: "The first 100 of them" })
  }
) {}

export class ShopOutdated extends ApiError<ShopOutdated>()(
  "ShopOutdated",
  {
    status: 409,
    detail:
      "This would change something else than the plan showed, because the file, the shop or the catalog has changed since; plan again"
  },
  { reason: Schema.Literals(["version_conflict", "catalog_changed"]) }
) {}

export class ShopArticleNotFound extends ApiError<ShopArticleNotFound>()("ShopArticleNotFound", {
  status: 404,
  detail: "The shop file has no such article"
}) {}

export class ShopOfferNotFound extends ApiError<ShopOfferNotFound>()("ShopOfferNotFound", {
  status: 404,
  detail: "There is no such offer"
}) {}
