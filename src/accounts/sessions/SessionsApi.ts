import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Page from "../../platform/fields/Page.ts"
import { SessionNotFound } from "../AccountErrors.ts"
import { SessionAuthentication } from "../Authentication.ts"
import { SessionId } from "../Session.ts"
import { SessionView } from "./SessionView.ts"

const list = HttpApiEndpoint.get("list", "/sessions", {
  query: Page.query(100, 50),
  success: Schema.Struct({
    sessions: Schema.Array(SessionView),
    total: Schema.Int.annotate({ examples: [1] }),
    limit: Schema.Int.annotate({ examples: [50] }),
    offset: Schema.Int.annotate({ examples: [0] })
  }).annotate({ identifier: "SessionList" })
})
  .annotate(OpenApi.Summary, "List sessions")
  .annotate(
    OpenApi.Description,
    "Lists where the account is signed in, the last used session first: the device, the address and the times of each session. Clients choose their `User-Agent`, so it proves nothing."
  )

const end = HttpApiEndpoint.delete("end", "/sessions/:session_id", {
  params: { session_id: SessionId },
  success: HttpApiSchema.Empty(204),
  error: SessionNotFound
})
  .annotate(OpenApi.Summary, "End a session")
  .annotate(
    OpenApi.Description,
    "Ends one session of the account, also the one of this request. Its access and refresh tokens stop working immediately. A session of another account answers 404."
  )

const endOthers = HttpApiEndpoint.post("endOthers", "/logout-others", { success: HttpApiSchema.Empty(204) })
  .annotate(OpenApi.Summary, "Sign out everywhere else")
  .annotate(
    OpenApi.Description,
    "Ends every session except this one. OAuth connections and API keys keep working; disconnect and revoke them one by one."
  )

/** The operations of a signed-in person on the sessions of the account. */
export class SessionsApi extends HttpApiGroup.make("sessions")
  .add(list, end, endOthers)
  .prefix("/auth")
  .middleware(SessionAuthentication)
  .annotate(OpenApi.Title, "Sessions")
  .annotate(
    OpenApi.Description,
    "See where the account is signed in, and end sessions. These operations need a session; they refuse API keys."
  ) {}
