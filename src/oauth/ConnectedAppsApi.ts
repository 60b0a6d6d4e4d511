import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { SessionAuthentication } from "../accounts/Authentication.ts"
import * as Page from "../platform/fields/Page.ts"
import { ConnectedApp, GrantId } from "./ConnectedApp.ts"
import { ConnectedAppNotFound, ConnectedAppOfAnotherUser } from "./ConnectedAppErrors.ts"

const timestamp = Schema.DateTimeUtcFromString

const ConnectedAppView = Schema.Struct({
  ...ConnectedApp.fields,
  client_id: Schema.String.annotate({ examples: ["https://assistant.example.com/client.json"] }),
  client_name: Schema.String.annotate({ description: "What the app calls itself", examples: ["Assistant"] }),
  is_verified: Schema.Boolean.annotate({
    description: "Whether the app is described at its `client_id`, an address of its maker",
    examples: [true]
  }),
  resource: Schema.String.annotate({
    description: "The address that the app may use",
    examples: ["https://proxies.example.com/mcp"]
  }),
  scopes: ConnectedApp.fields.scopes.annotate({ examples: [["catalog:read", "orders:read"]] }),
  created_at: timestamp.annotate({ description: "Since when it is connected" }),
  last_used_at: Schema.NullOr(timestamp).annotate({ description: "When it last got a token; null: never" })
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
    "The apps that you allowed to act for you at the tool server, newest first, each once for every address it may use."
  )

const revoke = HttpApiEndpoint.delete("revoke", "/:connection_id", {
  params: { connection_id: GrantId },
  success: HttpApiSchema.Empty(204),
  error: [ConnectedAppNotFound, ConnectedAppOfAnotherUser]
})
  .annotate(OpenApi.Summary, "Disconnect an app")
  .annotate(
    OpenApi.Description,
    "Its refresh tokens are refused at once, its access tokens within a minute. Cannot be undone; the app may ask again."
  )

/** The apps that act for an account (specification section 5.2); only a signed-in person sees and ends them. */
export class ConnectedAppsApi extends HttpApiGroup.make("connections")
  .add(list, revoke)
  .prefix("/users/me/connections")
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "Connected apps")
  .annotate(OpenApi.Description, "The apps that act for an account; only a signed-in person sees and ends them.") {}
