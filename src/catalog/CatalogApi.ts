import { Effect, Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OptionalAuthentication } from "../accounts/Authentication.ts"
import { Currency } from "../platform/Money.ts"
import { Text } from "../platform/fields/Text.ts"
import { CatalogAnswer } from "./CatalogAnswer.ts"
import { LocationFilterDisabled } from "./CatalogErrors.ts"
import { Offer } from "./Offer.ts"

/** One of some words, in any case; documented as those words. */
const caseless = <const Words extends ReadonlyArray<string>>(words: Words, description: string) => {
  const find = (text: string) => words.find((word) => word.toLowerCase() === text.toLowerCase())
  return Schema.String.check(
    Schema.makeFilter((text) => find(text) !== undefined || `Expected one of ${words.join(", ")}`, {
      toJsonSchema: () => ({ enum: [...words] }),
      description,
      examples: [words[0]]
    })
  ).pipe(
    Schema.decode(SchemaTransformation.transform({ decode: (text) => find(text) ?? text, encode: (word) => word })),
    Schema.decodeTo(Schema.Literals(words), SchemaTransformation.passthroughSubtype())
  )
}

export const Country = Schema.String.check(
  Schema.isPattern(/^[A-Za-z]{2}$/u, {
    message: "Expected a two-letter country code",
    description: "Keeps offers in this country: ISO 3166-1 alpha-2, in any case",
    examples: ["DE"]
  })
).pipe(Schema.decode(SchemaTransformation.toUpperCase()))

const Truth = caseless(["true", "false"], "True keeps only offers in stock; false keeps all").pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform({ decode: (word) => word === "true", encode: (truth) => (truth ? "true" : "false") })
  )
)

const query = {
  kind: Schema.optionalKey(caseless(Offer.fields.kind.literals, "Keeps offers of this kind")),
  country: Schema.optionalKey(Country),
  region: Schema.optionalKey(Text(1, 100)).annotateKey({
    description: "Keeps ISP offers with this region among their locations; needs flag `isp.city.enable`",
    examples: ["Bavaria"]
  }),
  city: Schema.optionalKey(Text(1, 100)).annotateKey({
    description:
      "Keeps ISP offers with this city among their locations (of the same location as `region`); " +
      "it narrows the choice of ISP and does not pin the city of the address; needs flag `isp.city.enable`",
    examples: ["Munich"]
  }),
  is_available: Truth.pipe(Schema.withDecodingDefaultKey(Effect.succeed("false"))),
  currency: caseless(
    Currency.literals,
    "The currency of the prices; an option that is not sold in it has price null"
  ).pipe(Schema.withDecodingDefaultKey(Effect.succeed("USD")))
}

const entityTag = '"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"'

const caching = {
  etag: Schema.String.annotate({ description: "Strong entity tag of this answer", examples: [entityTag] }),
  "cache-control": Schema.String.annotate({ examples: ["no-cache"] })
}

export class CatalogApi extends HttpApiGroup.make("catalog")
  .add(
    HttpApiEndpoint.get("listOffers", "/catalog", {
      query,
      headers: {
        "if-none-match": Schema.optionalKey(
          Schema.String.annotate({
            description: "Entity tags of answers you hold",
            examples: [entityTag]
          })
        )
      },
      success: [
        HttpApiSchema.WithHeaders(CatalogAnswer, caching),
        HttpApiSchema.WithHeaders(HttpApiSchema.Empty(304), caching)
      ],
      error: LocationFilterDisabled
    })
      .annotate(OpenApi.Summary, "List offers")
      .annotate(
        OpenApi.Description,
        "Every offer on sale, by kind, cheapest first. Text filters ignore case; a filter that matches nothing gives an " +
          "empty list. Keep the `ETag` and send it as `If-None-Match`: the answer is `304` without a body until something " +
          "in it changes. `403` means that filtering by region or city is switched off."
      )
  )
  .middleware(OptionalAuthentication)
  .annotate(OpenApi.Title, "Catalog")
  .annotate(OpenApi.Description, "What can be ordered, and at which price.") {}
