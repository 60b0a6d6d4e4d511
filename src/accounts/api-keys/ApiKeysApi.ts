import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { RequestInvalid } from "../../platform/errors/RequestInvalid.ts"
import * as Page from "../../platform/fields/Page.ts"
import { ApiKeyNotFound, ApiKeyOfAnotherUser, TooManyApiKeys, UserNotFound } from "../AccountErrors.ts"
import { ApiKey, ApiKeyId } from "../ApiKey.ts"
import { SessionAuthentication, Unauthorized } from "../Authentication.ts"
import { NewApiKey } from "./NewApiKey.ts"

const CreatedApiKey = Schema.Struct({
  ...ApiKey.json.fields,
  key: Schema.String.annotate({
    description: "The key. Store it: the service shows it only here",
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
    "Returns the key once; the service cannot show it again. An expiry in the past answers 422. An account may have 100 keys; one more answers 409."
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
  .annotate(
    OpenApi.Description,
    "Lists the prefix and the settings of each key, the newest first. It never returns the keys."
  )

const revoke = HttpApiEndpoint.delete("revoke", "/:key_id", {
  params: { key_id: ApiKeyId },
  success: HttpApiSchema.Empty(204),
  error: [ApiKeyNotFound, ApiKeyOfAnotherUser]
})
  .annotate(OpenApi.Summary, "Revoke an API key")
  .annotate(OpenApi.Description, "The key stops working immediately. You cannot undo this.")

/** The operations on API keys, for signed-in people only. */
export class ApiKeysApi extends HttpApiGroup.make("api-keys")
  .add(create, list, revoke)
  .prefix("/api-keys")
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "API keys")
  .annotate(OpenApi.Description, "API keys let programs call the service. Only a signed-in person can manage them.") {}
