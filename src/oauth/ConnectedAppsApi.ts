import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { DailySpendLimit } from "../accounts/ApiKey.ts"
import { SessionAuthentication } from "../accounts/Authentication.ts"
import * as Page from "../platform/fields/Page.ts"
import { ConnectedApp, GrantId } from "./ConnectedApp.ts"
import { ConnectedAppNotFound, ConnectedAppOfAnotherUser } from "./ConnectedAppErrors.ts"

const timestamp = Schema.DateTimeUtcFromString

const ConnectedAppView = Schema.Struct({
  ...ConnectedApp.fields,
  client_id: Schema.String.annotate({ examples: ["https://assistant.example.com/client.json"] }),
  client_name: Schema.String.annotate({ description: "Name that the app gave itself", examples: ["Assistant"] }),
  is_verified: Schema.Boolean.annotate({
    description: "True when the publisher describes the app at its `client_id`, a web address",
    examples: [true]
  }),
  resource: Schema.String.annotate({
    description: "Address of the service that the app may use",
    examples: ["https://proxies.example.com/mcp"]
  }),
  scopes: ConnectedApp.fields.scopes.annotate({ examples: [["catalog:read", "orders:read"]] }),
  daily_spend_limit_usd: Schema.NullOr(DailySpendLimit).annotate({
    description: "Dollars the app may spend per day; null means no limit",
    examples: [25_000_000n]
  }),
  created_at: timestamp.annotate({ description: "Time of the first approval" }),
  last_used_at: Schema.NullOr(timestamp).annotate({
    description: "Time when the app last received a token; null means never"
  })
}).annotate({ identifier: "ConnectedApp" })

const list = HttpApiEndpoint.get("list", "/", {
  query: Page.query(100, 50),
  success: Schema.Struct({
    connections: Schema.Array(ConnectedAppView),
    total: Schema.Int.annotate({ examples: [1] }),
    limit: Schema.Int.annotate({ examples: [50] }),
    offset: Schema.Int.annotate({ examples: [0] })
  }).annotate({ identifier: "ConnectedAppList" })
})
  .annotate(OpenApi.Summary, "List connected apps")
  .annotate(
    OpenApi.Description,
    "Lists the apps that you allowed to act for you at the tool server, the newest first. An app appears once per resource."
  )

const limit = HttpApiEndpoint.patch("limit", "/:connection_id", {
  params: { connection_id: GrantId },
  payload: Schema.Struct({
    daily_spend_limit_usd: Schema.NullOr(DailySpendLimit).annotate({
      description: "Dollars the app may spend per day; null removes the limit",
      examples: [25_000_000n]
    })
  }),
  success: ConnectedAppView,
  error: [ConnectedAppNotFound, ConnectedAppOfAnotherUser]
})
  .annotate(OpenApi.Summary, "Limit an app")
  .annotate(
    OpenApi.Description,
    "Sets or removes the daily limit. What the app has spent since midnight UTC counts. A purchase beyond the limit answers the app 403 `daily_spend_limit_reached`."
  )

const revoke = HttpApiEndpoint.delete("revoke", "/:connection_id", {
  params: { connection_id: GrantId },
  success: HttpApiSchema.Empty(204),
  error: [ConnectedAppNotFound, ConnectedAppOfAnotherUser]
})
  .annotate(OpenApi.Summary, "Disconnect an app")
  .annotate(
    OpenApi.Description,
    "Its refresh tokens stop working immediately, its access tokens within a minute. You cannot undo this, but the app may ask for access again."
  )

/** The operations on connected apps, for signed-in people only (docs/contract.md, "OAuth"). */
export class ConnectedAppsApi extends HttpApiGroup.make("connections")
  .add(list, limit, revoke)
  .prefix("/users/me/connections")
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "Connected apps")
  .annotate(
    OpenApi.Description,
    "The apps that act for your account. Only a signed-in person can list, limit and disconnect them."
  ) {}
