import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { UserNotFound } from "../AccountErrors.ts"
import { Authentication, RequiredScope } from "../Authentication.ts"
import { UserView } from "../User.ts"

const me = HttpApiEndpoint.get("me", "/users/me", { success: UserView, error: UserNotFound })
  .annotate(RequiredScope, "account:read")
  .annotate(OpenApi.Summary, "Get your account")
  .annotate(OpenApi.Description, "Returns the account of the session or API key.")

/** The only account operation that API keys may call. */
export class ProfileApi extends HttpApiGroup.make("profile")
  .add(me)
  .middleware(Authentication)
  .annotate(OpenApi.Title, "Profile")
  .annotate(OpenApi.Description, "The account that your credentials belong to.") {}
