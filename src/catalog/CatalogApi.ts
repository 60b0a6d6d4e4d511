import { Effect, Schema, SchemaTransformation } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { OptionalAuthentication } from "../accounts/Authentication.ts"
import { Currency } from "../platform/Money.ts"
import { Text } from "../platform/fields/Text.ts"
import { CatalogView } from "./CatalogView.ts"
import { LocationFilterDisabled } from "./CatalogErrors.ts"
import { Offer } from "./Offer.ts"

/** Accepts one of `words` in any case, and documents them as an enumeration. */
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
    description: "Keeps offers in this country (ISO 3166-1 alpha-2, in any case)",
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
    description: "Keeps ISP offers with a location in this region; needs the flag `isp.city.enable`",
    examples: ["Bavaria"]
  }),
  city: Schema.optionalKey(Text(1, 100)).annotateKey({
    description:
      "Keeps ISP offers with a location in this city, and in `region` if it is also given. The filter narrows the choice " +
      "of ISP; the proxy's address may be in another city. Needs the flag `isp.city.enable`",
    examples: ["Munich"]
  }),
  is_available: Truth.pipe(Schema.withDecodingDefaultKey(Effect.succeed("false"))),
  currency: caseless(
    Currency.literals,
    "The currency of the prices; `price` is null for an option that is not sold in it"
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
            description: "Entity tags of answers that you have stored",
            examples: [entityTag]
          })
        )
      },
      success: [
        HttpApiSchema.WithHeaders(CatalogView, caching),
        HttpApiSchema.WithHeaders(HttpApiSchema.Empty(304), caching)
      ],
      error: LocationFilterDisabled
    })
      .annotate(OpenApi.Summary, "List offers")
      .annotate(
        OpenApi.Description,
        "Lists every offer on sale by kind, the cheapest first. Text filters ignore case; a filter without a match gives " +
          "an empty list. Store the `ETag` and send it as `If-None-Match`; the answer is then `304` without a body until " +
          "the catalog changes. `403` means that the filters `region` and `city` are switched off."
      )
  )
  .middleware(OptionalAuthentication)
  .annotate(OpenApi.Title, "Catalog")
  .annotate(OpenApi.Description, "The offers that can be ordered, and their prices.") {}
