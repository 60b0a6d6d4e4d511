import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequiredScope } from "../../accounts/Authentication.ts"
import { OfferNotFound } from "../../catalog/CatalogErrors.ts"
import { Currency } from "../../platform/Money.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import { Text } from "../../platform/fields/Text.ts"
import { wholeNumber } from "../../platform/fields/WholeNumber.ts"
import { OfferMismatch } from "./CheckoutErrors.ts"
import { PromoCodePreviewView } from "./PromoCodePreviewView.ts"

const largest = 999_999_999

export class PromoCodePreviewApi extends HttpApiGroup.make("promo-codes")
  .add(
    HttpApiEndpoint.get("preview", "/promo-codes/preview", {
      query: {
        code: Text(1, 100).annotate({ description: "A promo code of the operator, in upper or lower case" }),
        offer_id: wholeNumber(0, largest, { description: "Offer id from the catalog", examples: [1] }),
        quantity: wholeNumber(1, 100, { default: 1 }).pipe(Schema.withDecodingDefaultKey(Effect.succeed("1"))),
        period_days: Schema.optionalKey(wholeNumber(1, largest, { description: "The same as in an order" })),
        tarification_index: Schema.optionalKey(wholeNumber(0, largest, { description: "The same as in an order" })),
        currency: Currency.annotate({ description: "The currency to pay in; default: `USD`" }).pipe(
          Schema.withDecodingDefaultKey(Effect.succeed("USD"))
        )
      },
      success: PromoCodePreviewView,
      error: [OfferNotFound, OfferMismatch, RequestInvalid]
    })
      .annotate(RequiredScope, "account:read")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Preview a promo code",
          description:
            "Shows the discount of a promo code on an order of these proxies. Does not use the code. If the code cannot be used, the answer is `422` at `code` with the reason: unknown, not valid yet, expired, used up, or not for this offer."
        })
      )
  )
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "Promo codes", description: "Discounts of promo codes" })) {}
