import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { OfferId, ProxyKind } from "../../catalog/Offer.ts"
import { Line } from "../../platform/fields/Line.ts"
import { wholeNumber } from "../../platform/fields/WholeNumber.ts"
import { LongBody, longBody } from "../../platform/requests/LongBody.ts"
import * as Keyset from "../Keyset.ts"
import * as StaffActionApi from "../StaffActionApi.ts"
import { RequiredPermission, StaffAuthentication } from "../StaffAuthenticationApi.ts"
import { ActionKeyReused } from "../StaffErrors.ts"
import { Applied } from "./ShopChanges.ts"
import { ShopFaulty, ShopOfferNotFound, ShopOutdated } from "./ShopErrors.ts"
import { ArticleView, CascadeView, RuleView } from "./ShopViews.ts"

const File = Schema.String.annotate({ description: "The text of a shop file, at most 4 MiB (docs/shop.md)" })
const Id = Schema.String.check(Schema.isPattern(/^[0-9a-f]{12}$/))
const version = Id.annotate({ description: "`version` of the shop or of the plan: another shop is refused" })

const Plan = Schema.Struct({
  plan: Schema.String.annotate({ description: "Send it to apply exactly these effects" }),
  version: Schema.String.annotate({ description: "The version of the shop from which the change is made" }),
  lines: Schema.Array(Schema.String).annotate({ description: "The effects, as the command `shop plan` prints them" })
}).annotate({ identifier: "ShopPlan" })

const ToPlan = Schema.Struct({
  text: File,
  version: Schema.optionalKey(version)
}).annotate({ identifier: "ShopToPlan" })

const ToApply = Schema.Struct({
  text: File,
  version,
  plan: Id.annotate({ description: "`plan` of the plan: other effects are refused" }),
  reason: Line(3, 500)
}).annotate({ identifier: "ShopToApply" })

const about = (summary: string, description: string) => OpenApi.annotations({ summary, description })

const planning = <const Name extends string>(name: Name, path: `/${string}`) =>
  HttpApiEndpoint.post(name, path, { payload: ToPlan, success: Plan, error: [ShopFaulty, ShopOutdated] }).annotate(
    LongBody,
    longBody
  )

const applying = <const Name extends string>(name: Name, path: `/${string}`) =>
  HttpApiEndpoint.post(name, path, {
    headers: StaffActionApi.headers,
    payload: ToApply,
    success: StaffActionApi.replayable(Applied),
    error: [ShopFaulty, ShopOutdated, ActionKeyReused]
  }).annotate(LongBody, longBody)

const reads = HttpApiGroup.make("adminShop").add(
  HttpApiEndpoint.get("getShop", "/shop", {
    success: Schema.Struct({ text: File, version: Schema.String, is_demo: Schema.Boolean }).annotate({
      identifier: "PresentShop"
    })
  })
    .annotate(RequiredPermission, "shop.read")
    .annotateMerge(about("Show the shop file", "The present shop as a file, with its version.")),
  HttpApiEndpoint.get("listShopArticles", "/shop/articles", {
    query: {
      limit: Keyset.query.limit,
      after: Schema.optionalKey(Line(1, 63).annotate({ description: "`next` of the page before" })),
      kind: Schema.optionalKey(ProxyKind),
      country: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/)))
    },
    success: Keyset.view(ArticleView).annotate({ identifier: "ShopArticlePage" })
  })
    .annotate(RequiredPermission, "shop.read")
    .annotateMerge(
      about(
        "List the articles of the gateway",
        "By kind and country, each with its pool, its prices and its running orders."
      )
    ),
  HttpApiEndpoint.get("listPriceRules", "/shop/price-rules", {
    success: Schema.Struct({ items: Schema.Array(RuleView) }).annotate({ identifier: "PriceRules" })
  })
    .annotate(RequiredPermission, "shop.read")
    .annotateMerge(
      about("List the price rules", "The most general first, each with the number of offers it applies to.")
    ),
  HttpApiEndpoint.get("explainPrice", "/shop/offers/:offer_id/price", {
    params: { offer_id: wholeNumber(1, 2_147_483_647).pipe(Schema.decodeTo(OfferId)) },
    success: CascadeView,
    error: ShopOfferNotFound
  })
    .annotate(RequiredPermission, "shop.read")
    .annotateMerge(
      about(
        "Explain the prices of an offer",
        "For each price the price before the rules, and the rule that set each part."
      )
    )
)

/** The shop and its prices: what is sold today, and the same plan and apply as the commands. */
export class ShopApi extends reads
  .add(
    planning("planShop", "/shop/plan")
      .annotate(RequiredPermission, "shop.change")
      .annotateMerge(about("Plan a shop file", "Says what the file would change. It changes nothing.")),
    applying("applyShop", "/shop/apply")
      .annotate(RequiredPermission, "shop.change")
      .annotateMerge(
        about(
          "Apply a shop file",
          "Makes the shop what the file says, in one transaction: orders see the old shop or the new one."
        )
      ),
    planning("planPrices", "/shop/price-rules/plan")
      .annotate(RequiredPermission, "shop.price")
      .annotateMerge(about("Plan price rules", "Says what the rules under `prices` of the file would change.")),
    applying("applyPrices", "/shop/price-rules/apply")
      .annotate(RequiredPermission, "shop.price")
      .annotateMerge(about("Apply price rules", "Applies only the rules under `prices` of the file."))
  )
  .middleware(StaffAuthentication)
  .annotate(OpenApi.Title, "Shop")
  .annotate(OpenApi.Description, "What the service sells, and at what price (docs/shop.md).") {}
