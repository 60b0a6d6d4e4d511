import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { listOf } from "../../platform/fields/ListOf.ts"
import { optional } from "../../platform/fields/Optional.ts"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Page from "../../platform/fields/Page.ts"
import { Text } from "../../platform/fields/Text.ts"
import { ApiKeyNotFound, ApiKeyOfAnotherUser, TooManyApiKeys, UserNotFound } from "../AccountErrors.ts"
import { AllowedAddress } from "../AllowedAddress.ts"
import { ApiKey, ApiKeyId, DailySpendLimit } from "../ApiKey.ts"
import { SessionAuthentication, Unauthorized } from "../Authentication.ts"
import { Scope } from "../Scope.ts"

const NewApiKey = Schema.Struct({
  name: Text(1, 100).annotate({ examples: ["Nightly crawler"] }),
  scopes: optional(listOf(Scope, { minimum: 1, maximum: 20 }), {
    description: "What the key may do; null or absent: everything a key can",
    examples: [["catalog:read", "orders:read"]]
  }),
  expires_at: optional(Schema.DateTimeUtcFromString, { description: "Null or absent: never" }),
  allowed_ips: optional(listOf(AllowedAddress, { minimum: 1, maximum: 100 }), {
    description: "Addresses and CIDR networks; null or absent: any",
    examples: [["192.0.2.7", "2001:db8::/32"]]
  }),
  daily_spend_limit_usd: optional(DailySpendLimit, {
    description: "Dollars; null or absent: no limit",
    examples: [25_000_000n]
  })
}).annotate({ examples: [{ name: "Nightly crawler", scopes: ["catalog:read", "orders:read"] }] })

const CreatedApiKey = Schema.Struct({
  ...ApiKey.json.fields,
  key: Schema.String.annotate({
    description: "The key itself, shown only here",
    examples: ["prk_0mFf3cQ7n1p8Zb6uWk2yTj5sXe9vRh4aLd0gIiMoBcE"]
  })
}).annotate({ identifier: "CreatedApiKey" })

const create = HttpApiEndpoint.post("create", "/", {
  payload: NewApiKey,
  success: CreatedApiKey.pipe(HttpApiSchema.status(201)),
  error: [TooManyApiKeys, UserNotFound, RequestInvalid, Unauthorized]
})
  .annotate(OpenApi.Summary, "Create an API key")
  .annotate(
    OpenApi.Description,
    "Answers the key once; it cannot be shown again. An expiry that has passed answers 422, a 101st key 409."
  )

const list = HttpApiEndpoint.get("list", "/", {
  query: Page.query(100, 50),
  success: Schema.Struct({
    api_keys: Schema.Array(ApiKey.json.annotate({ identifier: "ApiKey" })),
    total: Schema.Int.annotate({ examples: [1] }),
    limit: Schema.Int.annotate({ examples: [50] }),
    offset: Schema.Int.annotate({ examples: [0] })
  }).annotate({ identifier: "ApiKeyList" })
})
  .annotate(OpenApi.Summary, "List API keys")
  .annotate(OpenApi.Description, "Prefix and settings of each key, newest first; never the key itself.")

const revoke = HttpApiEndpoint.delete("revoke", "/:key_id", {
  params: { key_id: ApiKeyId },
  success: HttpApiSchema.Empty(204),
  error: [ApiKeyNotFound, ApiKeyOfAnotherUser]
})
  .annotate(OpenApi.Summary, "Revoke an API key")
  .annotate(OpenApi.Description, "The key stops working at once. Cannot be undone.")

/** Keys for programs; only a signed-in person manages them. */
export class ApiKeysApi extends HttpApiGroup.make("api-keys")
  .add(create, list, revoke)
  .prefix("/api-keys")
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "API keys")
  .annotate(OpenApi.Description, "Keys for programs; only a signed-in person manages them.") {}
